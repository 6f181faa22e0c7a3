/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of packets by context, one packet after another, in any
 * order. Ids are computed as stubs do (wire/id.h). The callers outside a
 * packet's context need not be known, because their id is enough.
 */
#ifndef CLEW_MERGE_PACKET_COUNTER_H
#define CLEW_MERGE_PACKET_COUNTER_H

#include "report/merge/packet_table.h"
#include "report/merge/packet_times.h"
#include "report/recording/packet_reader.h"

struct packet_counter {
	struct packet_table table;
	uint64_t *ids; /* by depth, of the active calls */
	size_t room;
	uint64_t calls, bad_words;
	int is_timed; /* also compute ticks; set after packet_counter_init() */
	struct packet_times times;
};

void packet_counter_init(struct packet_counter *counter);
void packet_counter_fini(struct packet_counter *counter);

/*
 * Counts all remaining calls of a cursor in that tally. Afterwards `ids` has
 * the ids of the calls that are still active, up to cursor->depth.
 */
void packet_counter_take(struct packet_counter *counter,
			 struct packet_cursor *cursor, uint32_t tally);

/*
 * For times: called after packet_counter_take() if the next packet follows
 * without a gap, with the time at which it begins.
 */
void packet_counter_go_on(struct packet_counter *counter, uint64_t tsc);

#endif
