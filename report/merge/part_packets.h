/* SPDX-License-Identifier: MIT */
/*
 * The packets of a part, if it has a trace beside it, on their way into the tree: as
 * tallies that count (packet_counts.h), and with what is odd about them.
 */
#ifndef CLEW_MERGE_PART_PACKETS_H
#define CLEW_MERGE_PART_PACKETS_H

#include "report/merge/packet_counts.h"
#include "report/recording/recording_reader.h"
#include "report/recording/taken_reader.h"
#include "report/recording/trace_reader.h"

struct part_packets {
	struct packet_counts counts;
	int is_there; /* what follows is */
	struct trace trace;
	struct taken taken; /* what workers have counted of it */
};

/*
 * Adds them to the part's tallies, which they must outlive. All zeros is a part without a
 * trace. Own times of contexts are computed if `is_timed`.
 */
void part_packets_add(struct part_packets *packets, struct recording *recording,
		      const struct part_copy *part,
		      struct part_tallies *tallies, int is_timed);

/* How many workers are worth it (packet_pool.h). */
unsigned int part_packets_workers(const struct part_packets *packets);

void part_packets_fini(struct part_packets *packets);

#endif
