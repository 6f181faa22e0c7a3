/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of packets by context, one packet after another, in any
 * order. Ids are computed by the same formula as in stubs (wire/id.h). The
 * functions outside a packet's context need not be known, because the id of
 * their context is enough for this.
 */
#ifndef CLEW_MERGE_PACKET_COUNTER_H
#define CLEW_MERGE_PACKET_COUNTER_H

#include "report/merge/packet_table.h"
#include "report/merge/packet_times.h"
#include "report/recording/packet_reader.h"

struct packet_counter {
	struct packet_table table;
	uint64_t *ids; /* ids of the active calls, indexed by depth */
	size_t room;
	uint64_t calls, bad_words;
	/*
	 * Whether to compute times as well. The caller sets this after
	 * packet_counter_init().
	 */
	int is_timed;
	struct packet_times times;
};

void packet_counter_init(struct packet_counter *counter);
void packet_counter_fini(struct packet_counter *counter);

/*
 * Counts all calls of a packet from the cursor's position on, in that tally.
 * Afterwards ids[0] to ids[cursor->depth] are the ids of the calls that are
 * active at the packet's end.
 */
void packet_counter_take(struct packet_counter *counter,
			 struct packet_cursor *cursor, uint32_t tally);

/*
 * Called after packet_counter_take() if times are computed and the next packet
 * of the thread follows without a gap: `tsc` is the time stamp with which that
 * packet begins.
 */
void packet_counter_go_on(struct packet_counter *counter, uint64_t tsc);

#endif
