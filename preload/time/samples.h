/* SPDX-License-Identifier: MIT */
/*
 * Writing samples, and the clocks that they refer to.
 *
 * A tally's samples have two writers, each with room of its own: the tally's
 * owner, in a signal handler (ticks.h), and the one thread that watches all
 * (watch.h). The next chunk is made when a sample finds the last one full;
 * part_alloc() is safe even there.
 */
#ifndef CLEW_TIME_SAMPLES_H
#define CLEW_TIME_SAMPLES_H

#include <stdint.h>

#include "preload/hot/tally.h"
#include "wire/recording.h"

/* What the header says of time, as configured; when the part is new. */
void samples_describe(struct wire_header *header, enum wire_time time,
		      uint32_t rate_hz);

/*
 * The clocks of this moment, into header->latest, unless nothing was recorded yet. Any
 * thread.
 */
void samples_note_moment(struct wire_header *header);

/*
 * Add a sample of one look, in `room` of the tally. Returns it, or NULL: then it was
 * counted as lost for want of room. With all signals blocked.
 */
struct wire_sample *samples_put(struct tally *tally, struct sample_room *room,
				uint64_t id, uint64_t where,
				uint64_t weight_ns);

/*
 * Whether the calling thread is in another process than those that are sampled:
 * in the child of a vfork, which has its parent's memory, not its threads.
 */
int samples_in_vfork_child(void);

/* Samples, or threads, that there will not be. */
void samples_lose(enum wire_sample_loss cause, uint64_t count);

#endif
