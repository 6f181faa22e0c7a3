/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of packets by function and by the chosen labels, one packet
 * after another, in any order (packet_pool.h).
 *
 * Of the callers outside a packet's context only the id is known. For each such
 * id and tally, these callers have one node without a parent; id 0 stands for
 * the beginning of a thread.
 *
 * A call's values follow the call in the packet. The call is therefore first
 * counted at the node without values, and moved to another node with each
 * value. If a signal handler has begun a new packet between a call and its
 * value, one worker counts the call in the old packet, and the worker of the
 * new packet moves it: its node without values gets the count -1
 * (labels_settle()). Values that are repeated after a context do not move
 * calls.
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
	/*
	 * Node in the tree, which follows from the fields above and the
	 * caller's node.
	 */
	uint32_t node;
	/*
	 * Whether the call is counted at `node`, and a value of the call moves
	 * it to another node.
	 */
	uint8_t is_counted;
	uint8_t is_tail;
};

/* The caller sets the first two members, and all others to 0. */
struct labelled_counter {
	const struct label_wish *wish;
	const struct label_fields *fields;
	struct call_tree tree;
	struct value_sets values;
	/*
	 * Active calls by depth. Depth 0 stands for the callers outside the
	 * context.
	 */
	struct labelled_frame *frames;
	size_t room;
	/* The nodes of frames from this depth on are outdated. */
	uint32_t settled;
};

void labelled_counter_fini(struct labelled_counter *counter);

/* Counts all calls of a packet from the cursor's position on, in that tally. */
void labelled_counter_take(struct labelled_counter *counter,
			   struct packet_cursor *cursor, uint32_t tally);

#endif
