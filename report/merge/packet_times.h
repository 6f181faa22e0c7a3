/* SPDX-License-Identifier: MIT */
/*
 * Turns the time stamps of a packet into own times of contexts. A context has the time in
 * which its function is the innermost one, by the wall clock:
 *
 *	words	stamp  call a  call b  stamp
 *	time	  | caller |   a   |   b   |
 *
 * Calls between two stamps are equally far from each other, as in call_stamps.h. A call ends
 * at its return if the packet has returns, else at the next call outside of it. Time behind
 * the last stamp, and at gaps, belongs to no context.
 *
 * Memory is bounded by the words of one packet.
 */
#ifndef CLEW_MERGE_PACKET_TIMES_H
#define CLEW_MERGE_PACKET_TIMES_H

#include "report/merge/packet_table.h"
#include "report/recording/packet_reader.h"

/* A context that is the innermost one from a position on, until the next run. */
struct packet_run {
	uint64_t id;   /* 0: nothing runs that is known */
	size_t slot;   /* of its entry in the table, unless that has grown */
	uint32_t from; /* calls have the odd positions: 1, 3 and so on */
};

/* Zero-initialised; packet_times_fini() it. */
struct packet_times {
	struct packet_run *runs; /* since the last stamp */
	size_t count, capacity;
	uint64_t tsc;    /* of the last stamp; 0: there is none */
	uint32_t calls;  /* that were met in the packet */
	uint32_t tally;  /* of the packet */
	int has_stamps;  /* of calls or returns, in any packet */
	int has_returns; /* each call and each return has one */
	uint64_t ticks;  /* that contexts have got, in all */
};

void packet_times_fini(struct packet_times *times);

/* A packet of that tally begins. */
void packet_times_begin(struct packet_times *times, uint32_t tally);

/* A call is made, of a context that has its entry there. */
void packet_times_call(struct packet_times *times, uint64_t id, size_t slot);

/*
 * An event that is no call has a time. Adds to the entries of what ran before, which are all
 * in the table.
 */
void packet_times_stamp(struct packet_times *times, struct packet_table *table,
			enum packet_event event, uint64_t tsc);

/* Behind the stamp of an event: another context is the innermost one. */
void packet_times_run(struct packet_times *times, enum packet_event event,
		      uint64_t id);

/* What ran since the last stamp is not known. */
void packet_times_forget(struct packet_times *times);

#endif
