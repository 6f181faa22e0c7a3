/* SPDX-License-Identifier: MIT */
/*
 * Computes contexts and counts from packets (wire/packet.h), in the form in
 * which a process without a trace records them.
 *
 * Workers (packet_pool.h) count the calls of each id, each worker in its own
 * table (packet_counter.h). In the end these tables are added up.
 *
 * The next packet of a thread verifies a full packet: it begins with the
 * context of its first call, which the library has read from the stack. This
 * context must be one of those that are active after the calls of the full
 * packet.
 */
#ifndef CLEW_MERGE_PACKET_COUNTS_H
#define CLEW_MERGE_PACKET_COUNTS_H

#include "report/merge/packet_table.h"
#include "report/merge/part_tallies.h"
#include "report/recording/taken_reader.h"
#include "report/recording/trace_reader.h"

struct packet_counts {
	struct packet_table table;
	uint64_t calls;
	/* Sum of the own times of contexts. 0 if there are no time stamps. */
	uint64_t ticks;
	/* whether each call and each return has a time stamp */
	int has_returns;
	/*
	 * Numbers of packets that the next packet has verified, and that did
	 * not match.
	 */
	uint64_t verified, mismatched;
	uint64_t bad_words;
	/* Sorted by tally; spans of packet_counts_add() point to these. */
	struct wire_context *contexts;
	struct wire_count *counts;
	/* own time of each count; NULL if there are no times */
	uint64_t *own_ticks;
};

/*
 * Counts all packets with `workers` threads, except those that workers counted
 * while the process ran; their counts in `taken` are added (NULL: there are
 * none). `order` lists the trace's packets by index in the order to process
 * them; NULL: in the trace's order. With `is_timed` computes times of the
 * packets that are counted here.
 */
void packet_counts_init(struct packet_counts *counts, const struct trace *trace,
			const struct taken *taken, unsigned int workers,
			const size_t *order, int is_timed);
void packet_counts_fini(struct packet_counts *counts);

/*
 * Adds the counts as spans to the tallies; the counts must outlive them.
 * packet_counts_find() finds nothing afterwards.
 */
void packet_counts_add(struct packet_counts *counts,
		       struct part_tallies *tallies);

/* Returns the entry of a context, or NULL. */
const struct packet_count *packet_counts_find(
	const struct packet_counts *counts, uint64_t id, uint32_t tally);

#endif
