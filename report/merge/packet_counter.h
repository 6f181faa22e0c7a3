/* SPDX-License-Identifier: MIT */
/*
 * Counts the calls of packets by context, one packet after the other, in any order: ids
 * are stepped as stubs do (wire/id.h). So what a packet does not know, the callers of the
 * context that it begins in, need not be known: their ids are enough.
 */
#ifndef CLEW_MERGE_PACKET_COUNTER_H
#define CLEW_MERGE_PACKET_COUNTER_H

#include "report/merge/packet_table.h"
#include "report/merge/packet_times.h"
#include "report/recording/packet_reader.h"

struct packet_counter {
	struct packet_table table;
	uint64_t *ids; /* by depth, of the functions that are running */
	size_t room;
	uint64_t calls, bad_words;
	int is_timed; /* sets ticks, too; set it after packet_counter_init() */
	struct packet_times times;
};

void packet_counter_init(struct packet_counter *counter);
void packet_counter_fini(struct packet_counter *counter);

/*
 * Counts all that a cursor has yet to tell, which is of that tally. Of what runs at its end the
 * counter has the ids, up to cursor->depth.
 */
void packet_counter_take(struct packet_counter *counter,
			 struct packet_cursor *cursor, uint32_t tally);

/* Then, if times are wanted: the next packet begins at that time, where this one ends. */
void packet_counter_go_on(struct packet_counter *counter, uint64_t tsc);

#endif
