/* SPDX-License-Identifier: MIT */
/*
 * Reports the progress of long work on one line of a terminal.
 *
 * The first output appears after a second, so that short work prints nothing.
 * Nothing is printed if stderr is no terminal.
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

/*
 * Turns reports on if stderr is a terminal. A zero-initialised struct progress
 * reports nothing.
 */
void progress_init(struct progress *progress);

/*
 * Prints "what: 42 %" (`done` of `total`), or "what..." if `total` is 0, but
 * only if enough time has passed since the last output. A call costs little, so
 * it may be made for every few thousand items. `progress` may be NULL.
 */
void progress_update(struct progress *progress, const char *what, uint64_t done,
		     uint64_t total);

/* Prints "what..." at once, for work that is known to take long. */
void progress_announce(struct progress *progress, const char *what);

/* Clears the line, so that other output may follow. */
void progress_clear(struct progress *progress);

#endif
