/* SPDX-License-Identifier: MIT */
/*
 * How far long work has come, on one line of a terminal.
 *
 * Work that takes less than a second says nothing. Where stderr is no
 * terminal, or the user wants quiet, nothing is ever said.
 */
#ifndef CLEW_BASE_PROGRESS_H
#define CLEW_BASE_PROGRESS_H

#include <stdint.h>

struct progress {
	int is_on;
	int is_shown;
	uint64_t start_ns;
	uint64_t next_ns; /* when to write again */
};

/* Zero-initialised, a progress is off. This turns it on for a terminal. */
void progress_init(struct progress *progress);

/*
 * "what: 42 %" of `total`, or "what..." if that is 0. Cheap enough for every
 * few thousand things done. NULL is a progress that is off.
 */
void progress_tell(struct progress *progress, const char *what, uint64_t done,
		   uint64_t total);

/* "what...", at once: of something that is known to take its time. */
void progress_say(struct progress *progress, const char *what);

/* Clears the line, so that output may follow. */
void progress_clear(struct progress *progress);

#endif
