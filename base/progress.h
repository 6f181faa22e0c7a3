/* SPDX-License-Identifier: MIT */
/*
 * Reports the progress of long work on one line of a terminal.
 *
 * Work that takes less than a second is not reported, nor is any work if stderr
 * is no terminal or the user wants no output.
 */
#ifndef CLEW_BASE_PROGRESS_H
#define CLEW_BASE_PROGRESS_H

#include <stdint.h>

struct progress {
	int is_on;
	int is_shown;
	uint64_t start_ns;
	uint64_t next_ns; /* time of the next output */
};

/* Turns a progress on for a terminal. Zero-initialised, it is off. */
void progress_init(struct progress *progress);

/*
 * Prints "what: 42 %" of `total`, or "what..." if that is 0. Cheap enough for
 * every few thousand items. NULL is a progress that is off.
 */
void progress_tell(struct progress *progress, const char *what, uint64_t done,
		   uint64_t total);

/* Prints "what..." at once, for work that is known to take long. */
void progress_say(struct progress *progress, const char *what);

/* Clears the line, so that output may follow. */
void progress_clear(struct progress *progress);

#endif
