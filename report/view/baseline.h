/* SPDX-License-Identifier: MIT */
/*
 * A baseline: a small text file with the functions of a recording, to be stored
 * beside the source code and compared by `clew diff`.
 *
 * Each line has fields, separated by tabs:
 *
 *     clew baseline 1
 *     time    cpu  SAMPLES
 *     missing CALLS
 *     module  NAME [BUILD-ID]
 *     CALLS   NAME [KIND]
 *     CALLS   NAME KIND SELF-NS SAMPLES TOTAL-NS SAMPLES
 *
 * `time` has the kind of time and the number of samples of equal weight with
 * the same error. The last form of a function's line, and `time`, exist only if
 * the recording has time. `missing` exists if calls were not counted.
 *
 * Functions are sorted by name, and modules too, except that the program is
 * first. So two baselines of equal counts and times have equal bytes. Functions
 * of one name are one function. A function without a name has its address in
 * the module, as "+0x12e0"; only then does its module have a build-id, since
 * addresses of another build mean nothing.
 */
#ifndef CLEW_VIEW_BASELINE_H
#define CLEW_VIEW_BASELINE_H

#include "report/view/session.h"

#define BASELINE_HEADING "clew baseline "
#define BASELINE_VERSION "1"

/* The module of functions that belong to none, such as "(kernel)". */
#define BASELINE_NO_MODULE "-"

/* Larger files are refused. A function takes about 60 bytes. */
enum { BASELINE_BYTES_MAX = 16 << 20 };

/* Returns whether the file begins as a baseline does. */
int baseline_is_at(const char *path);

/*
 * Opens a baseline as a session without contexts and samples: each function is
 * a child of the root, and session->totals has the totals. Returns 0, or -errno
 * and *why, which names the line of an error in the text.
 */
int baseline_open(struct session *session, const char *path, char **why);

/* Like baseline_open(), for a text in memory, which is modified. */
int baseline_parse(struct session *session, const char *path, char *text,
		   size_t bytes, char **why);

#endif
