/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of packets by function and whatever else of calls is to tell contexts from
 * each other, one packet after the other, in any order (packet_pool.h).
 *
 * What is around the context that a packet begins in is known by its id only: it has a
 * node without a parent, of the tally and that id, 0 being that of a thread's beginning.
 *
 * The values of a call come behind it: so it is counted without them first, and then moves.
 * A signal handler may have begun a packet in between; then a node has one call less than
 * none, which is in the former one. What is said again, behind a context, moves nothing.
 */
#ifndef CLEW_MERGE_LABELLED_COUNTER_H
#define CLEW_MERGE_LABELLED_COUNTER_H

#include "report/merge/call_tree.h"
#include "report/merge/label_fields.h"
#include "report/merge/value_sets.h"
#include "report/recording/packet_reader.h"

/* A function that is running. */
struct labelled_frame {
	uint64_t site;
	uint32_t function;
	uint32_t values;
	uint32_t node;      /* of all that is said */
	uint8_t is_counted; /* at that node: it was called in this packet */
	uint8_t is_tail;
};

/* Zero-initialise but for the first two. */
struct labelled_counter {
	const struct label_wish *wish;
	const struct label_fields *fields;
	struct call_tree tree;
	struct value_sets values;
	struct labelled_frame *frames; /* by depth; 0 is what is around them */
	size_t room;
	uint32_t settled; /* from here on inwards no node is right */
};

void labelled_counter_fini(struct labelled_counter *counter);

/* Counts all that a cursor has yet to tell, which is of that tally. */
void labelled_counter_take(struct labelled_counter *counter,
			   struct packet_cursor *cursor, uint32_t tally);

#endif
