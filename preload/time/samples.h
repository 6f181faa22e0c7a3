/* SPDX-License-Identifier: MIT */
/*
 * Writes samples, and reads the clocks that they refer to.
 *
 * A tally's samples have two writers while its thread exists, and each has a
 * chunk of its own: the tally's owner, in a signal handler (ticks.h), and the
 * watch (watch.h). A chunk is allocated when a sample finds the last one full;
 * part_alloc() is safe in handlers.
 */
#ifndef CLEW_TIME_SAMPLES_H
#define CLEW_TIME_SAMPLES_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "wire/recording.h"

/* Sets the fields about time in the header of a new recording. */
void samples_describe(struct wire_header *header, enum wire_time time,
		      uint32_t rate_hz);

/*
 * Stores the present clocks in header->latest, unless the header has no clocks
 * yet or a system call filter is active. Any thread may call this function.
 */
void samples_note_moment(struct wire_header *header);

/*
 * Adds a sample that stands for one observation. Returns it, or NULL if there
 * is no memory; the sample is then counted as lost. Called with all signals
 * blocked.
 */
struct wire_sample *samples_put(struct tally *tally, struct sample_room *room,
				uint64_t id, uint64_t where,
				uint64_t weight_ns);

/*
 * Returns whether the calling thread is the child of a vfork, a process with
 * its parent's memory whose threads are not sampled.
 */
int samples_in_vfork_child(void);

/* Counts samples, or threads, as lost. */
void samples_lose(enum wire_sample_loss cause, uint64_t count);

#endif
