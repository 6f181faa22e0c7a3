/* SPDX-License-Identifier: MIT */
/*
 * Contexts and counts from packets (wire/packet.h): what a process that counts
 * would have recorded, had it counted.
 *
 * Workers (packet_pool.h) count by id, each in a table of its own (packet_counter.h). In the end the tables are added up, and who calls whom follows
 * from the ids.
 *
 * When a packet was full the next one says in which context its first call is
 * made, as found on the stack. That has to be one of those which the calls before
 * have left running: so each whole packet is verified.
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
	uint64_t ticks;  /* own time of contexts; 0: calls have no stamps */
	int has_returns; /* each call and each return has a stamp */
	uint64_t verified, mismatched; /* packets, by the one behind it */
	uint64_t bad_words;
	struct wire_context *contexts; /* by tally, for the spans */
	struct wire_count *counts;
	uint64_t *own_ticks; /* by count; NULL: there are no times */
};

/*
 * Counts all packets by so many workers, but for those that were counted while the process
 * ran, whose counts are added (NULL: there are none). `order` says in which order they are
 * taken, as indices of the trace's packets; NULL: as they are. Times are computed if
 * `is_timed`, of packets whose calls are counted here.
 */
void packet_counts_init(struct packet_counts *counts, const struct trace *trace,
			const struct taken *taken, unsigned int workers,
			const size_t *order, int is_timed);
void packet_counts_fini(struct packet_counts *counts);

/*
 * As spans of the tallies, which last as long as the counts. Nothing is found in
 * these any more.
 */
void packet_counts_add(struct packet_counts *counts,
		       struct part_tallies *tallies);

/* The entry of a context, or NULL. */
const struct packet_count *packet_counts_find(
	const struct packet_counts *counts, uint64_t id, uint32_t tally);

#endif
