/* SPDX-License-Identifier: MIT */
/*
 * The kinds of time that the parts of a recording have.
 *
 * All parts that one `clew record` writes have the same kind. Parts that
 * `clew merge` has combined can have different kinds, or none.
 */
#ifndef CLEW_RECORDING_RECORDED_TIMES_H
#define CLEW_RECORDING_RECORDED_TIMES_H

#include "report/recording/part_reader.h"

struct recorded_times {
	uint32_t kinds; /* bits: 1 << enum wire_time */
};

/* Adds a part. Ignores one whose process has not begun to count. */
void recorded_times_add(struct recorded_times *times,
			const struct part_copy *part);

/* Returns whether only a part of the processes has time. */
int recorded_times_lack_some(const struct recorded_times *times);

/* Returns whether both CPU time and wall time are recorded. */
int recorded_times_differ(const struct recorded_times *times);

/*
 * Returns what sums of time contain, "time covers only some of the processes;
 * ..."; the caller frees it. NULL: all parts have the same kind of time.
 */
char *recorded_times_text(const struct recorded_times *times);

#endif
