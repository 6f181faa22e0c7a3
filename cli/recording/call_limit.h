/* SPDX-License-Identifier: MIT */
/*
 * Checks whether a recording has reached a number of calls. Reads the counters
 * as `clew status` does, without any work for the recorded processes.
 */
#ifndef CLEW_CLI_RECORDING_CALL_LIMIT_H
#define CLEW_CLI_RECORDING_CALL_LIMIT_H

#include <stddef.h>
#include <stdint.h>

struct call_limit {
	uint64_t calls;       /* 0 if there is no limit. */
	char *const *folders; /* Folders with parts. */
	size_t folder_count;
	uint64_t start_ns, next_ns;
};

/*
 * Sets the folders and the time of the first check. Called before any call is
 * counted.
 */
void call_limit_begin(struct call_limit *limit, char *const *folders,
		      size_t folder_count);

/*
 * Returns in how many milliseconds to check again, at most; -1 if never; 0 if
 * the limit is reached.
 */
int call_limit_poll(struct call_limit *limit);

#endif
