/* SPDX-License-Identifier: MIT */
/*
 * Adds the packets of a part, if it has a trace, to the tree: as tallies that
 * count (packet_counts.h), and with their problems.
 */
#ifndef CLEW_MERGE_PART_PACKETS_H
#define CLEW_MERGE_PART_PACKETS_H

#include "report/merge/packet_counts.h"
#include "report/recording/recording_reader.h"
#include "report/recording/taken_reader.h"
#include "report/recording/trace_reader.h"

struct part_packets {
	struct packet_counts counts;
	int is_there; /* the following members are valid */
	struct trace trace;
	struct taken taken; /* calls that workers have counted */
};

/*
 * Adds them to the part's tallies, which they must outlive. All zeros mean a
 * part without a trace. With `is_timed` computes own times of contexts.
 */
void part_packets_add(struct part_packets *packets, struct recording *recording,
		      const struct part_copy *part,
		      struct part_tallies *tallies, int is_timed);

/* Returns the useful number of workers (packet_pool.h). */
unsigned int part_packets_workers(const struct part_packets *packets);

void part_packets_fini(struct part_packets *packets);

#endif
