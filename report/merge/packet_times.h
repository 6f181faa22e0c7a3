/* SPDX-License-Identifier: MIT */
/*
 * Turns the time stamps of a packet into own times of contexts: the wall-clock
 * time in which a context's function is the innermost one:
 *
 *	words	stamp	 call a	 call b	 stamp
 *	time	  | caller |   a   |   b   |
 *
 * Calls between two stamps are evenly spaced, as in call_stamps.h. A call ends
 * at its return if the packet contains returns, else at the next call outside
 * of it. Time after the last stamp and in gaps belongs to no context.
 *
 * Memory is bounded by the number of words of one packet.
 */
#ifndef CLEW_MERGE_PACKET_TIMES_H
#define CLEW_MERGE_PACKET_TIMES_H

#include "report/merge/packet_table.h"
#include "report/recording/packet_reader.h"

/* A context that is innermost from a position on, until the next run. */
struct packet_run {
	uint64_t id;   /* 0: unknown */
	size_t slot;   /* its entry in the table, unless the table has grown */
	uint32_t from; /* calls have odd positions: 1, 3 and so on */
};

/* Zero-initialise before use; free with packet_times_fini(). */
struct packet_times {
	struct packet_run *runs; /* since the last stamp */
	size_t count, capacity;
	uint64_t tsc;    /* of the last stamp; 0: none yet */
	uint32_t calls;  /* calls so far in the packet */
	uint32_t tally;  /* tally of the packet */
	int has_stamps;  /* any packet has stamps of calls or returns */
	int has_returns; /* each call and each return has a stamp */
	uint64_t ticks;  /* sum of the times of contexts */
};

void packet_times_fini(struct packet_times *times);

/* Begins a packet of that tally. */
void packet_times_begin(struct packet_times *times, uint32_t tally);

/* Adds a call of a context whose entry is in `slot`. */
void packet_times_call(struct packet_times *times, uint64_t id, size_t slot);

/*
 * Adds the time stamp of an event other than a call: distributes the time since
 * the last stamp to the entries of the contexts that ran, which must be in the
 * table.
 */
void packet_times_stamp(struct packet_times *times, struct packet_table *table,
			enum packet_event event, uint64_t tsc);

/* Called after the stamp of an event: another context is now innermost. */
void packet_times_run(struct packet_times *times, enum packet_event event,
		      uint64_t id);

/* Discards the runs since the last stamp, because it is unknown what ran. */
void packet_times_forget(struct packet_times *times);

#endif
