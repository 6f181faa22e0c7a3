/* SPDX-License-Identifier: MIT */
/*
 * Files in which a process announces generated code, in the formats of perf: a
 * perf map, perf-PID.map, and a jitdump, jit-PID.dump.
 *
 * Runtimes write them to temporary folders, which are cleaned up later. A
 * recording therefore contains copies, next to the part of the process image
 * that wrote them:
 *
 *	PID.SEQ.perfmap, PID.SEQ.jitdump
 *
 * If clew has made no copy yet, the reader uses the original file. That file
 * must belong to this process image without doubt: a regular file, no symbolic
 * link, owned by the current user, last written while the image ran.
 */
#ifndef CLEW_RECORDING_ANNOUNCED_H
#define CLEW_RECORDING_ANNOUNCED_H

#include "report/recording/recording_reader.h"

enum announced { ANNOUNCED_MAP, ANNOUNCED_JITDUMP, ANNOUNCED_COUNT };

/*
 * Opens the file for reading; the copy has precedence. Returns a file
 * descriptor, -ENOENT if there is no such file, or another -errno.
 */
int announced_open(const struct recording *recording,
		   const struct part_copy *part, enum announced kind);

/*
 * Copies the file to a new file next to the part at `part_path`, unless the
 * copy exists. Returns 0, also without a file to copy, or -errno and *why.
 */
int announced_keep(const struct recording *recording,
		   const struct part_copy *part, enum announced kind,
		   const char *part_path, char **why);

#endif
