/* SPDX-License-Identifier: MIT */
/*
 * Turns the time stamps of a packet into own times of contexts: the wall-clock
 * time in which a context's function is the innermost one:
 *
 *	words	stamp	 call a	 call b	 stamp
 *	time	  | caller |   a   |   b   |
 *
 * Calls between two stamps are assumed to have equal distances in time, as in
 * call_stamps.h. A call ends at its return if the packet contains returns,
 * otherwise at the next call that is not made within it. Time after the last
 * stamp, and between packets with a gap, belongs to no context.
 *
 * Memory is bounded by the number of words of one packet.
 */
#ifndef CLEW_MERGE_PACKET_TIMES_H
#define CLEW_MERGE_PACKET_TIMES_H

#include "report/merge/packet_table.h"
#include "report/recording/packet_reader.h"

/*
 * A run: the context that is innermost from a position on, until the next run
 * begins.
 */
struct packet_run {
	uint64_t id; /* id of the context; 0 if it is unknown */
	/*
	 * Index of the context's entry in the table; wrong if the table has
	 * grown since.
	 */
	size_t slot;
	/*
	 * The position at which the run begins. Calls have the positions 1, 3,
	 * 5 and so on, the gaps between them even numbers.
	 */
	uint32_t from;
};

/*
 * The caller sets all members to 0 before use, and calls packet_times_fini()
 * afterwards.
 */
struct packet_times {
	struct packet_run *runs; /* runs of calls since the last stamp */
	size_t count, capacity;
	uint64_t tsc;    /* time of the last stamp; 0 if there was none yet */
	uint32_t calls;  /* number of calls so far in the packet */
	uint32_t tally;  /* tally of the packet */
	int has_stamps;  /* whether any packet has stamps of calls or returns */
	int has_returns; /* whether each call and each return has a stamp */
	uint64_t ticks;  /* sum of the times of contexts */
};

void packet_times_fini(struct packet_times *times);

/* Begins a packet of that tally. */
void packet_times_begin(struct packet_times *times, uint32_t tally);

/*
 * Adds a call of the context `id`, whose entry in the table has the index
 * `slot`.
 */
void packet_times_call(struct packet_times *times, uint64_t id, size_t slot);

/*
 * Handles a time stamp: adds the time since the last stamp to the table's
 * entries of the contexts that were innermost meanwhile. Time of a context
 * without an entry is dropped.
 */
void packet_times_stamp(struct packet_times *times, struct packet_table *table,
			enum packet_event event, uint64_t tsc);

/*
 * Called after packet_times_stamp() for the same event: the context `id` is
 * innermost from now on.
 */
void packet_times_run(struct packet_times *times, enum packet_event event,
		      uint64_t id);

/*
 * Discards the runs since the last stamp, because it is unknown which contexts
 * were innermost.
 */
void packet_times_forget(struct packet_times *times);

#endif
