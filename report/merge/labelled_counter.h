/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of packets by function and by the chosen labels, one packet
 * after another, in any order (packet_pool.h).
 *
 * Callers outside a packet's context are known only by their id. These callers
 * have one node without a parent for each tally and id; id 0 is the beginning
 * of a thread.
 *
 * A call's values follow the call. The call is therefore counted without values
 * first and then moved. If a signal handler has begun a new packet in between,
 * the old packet counts the call, and a node in the new packet's worker gets a
 * count of -1. Values that are repeated after a context move nothing.
 */
#ifndef CLEW_MERGE_LABELLED_COUNTER_H
#define CLEW_MERGE_LABELLED_COUNTER_H

#include "report/merge/call_tree.h"
#include "report/merge/label_fields.h"
#include "report/merge/value_sets.h"
#include "report/recording/packet_reader.h"

/* An active call. */
struct labelled_frame {
	uint64_t site;
	uint32_t function;
	uint32_t values;
	uint32_t node;      /* determined by all other fields */
	uint8_t is_counted; /* at that node: the call began in this packet */
	uint8_t is_tail;
};

/* Zero-initialise all but the first two. */
struct labelled_counter {
	const struct label_wish *wish;
	const struct label_fields *fields;
	struct call_tree tree;
	struct value_sets values;
	/* by depth; 0: callers outside the context */
	struct labelled_frame *frames;
	size_t room;
	uint32_t settled; /* nodes from this depth on are outdated */
};

void labelled_counter_fini(struct labelled_counter *counter);

/* Counts all remaining calls of a cursor in that tally. */
void labelled_counter_take(struct labelled_counter *counter,
			   struct packet_cursor *cursor, uint32_t tally);

#endif
