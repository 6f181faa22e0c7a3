/* SPDX-License-Identifier: MIT */
/*
 * Adds the calls in the packets of a part to its tallies, as if the process had
 * counted them (packet_counts.h), and the problems of its trace to the
 * recording. Does nothing if the part has no trace.
 */
#ifndef CLEW_MERGE_PART_PACKETS_H
#define CLEW_MERGE_PART_PACKETS_H

#include "report/merge/packet_counts.h"
#include "report/recording/recording_reader.h"
#include "report/recording/taken_reader.h"
#include "report/recording/trace_reader.h"

struct part_packets {
	struct packet_counts counts;
	int is_there; /* 0 if the following members are not set */
	struct trace trace;
	struct taken taken; /* the calls that workers have counted */
};

/*
 * Adds the packets of a part. `packets` must exist as long as `tallies`, and is
 * all zero if the part has no trace that can be opened. is_timed: also computes
 * own times of contexts.
 */
void part_packets_add(struct part_packets *packets, struct recording *recording,
		      const struct part_copy *part,
		      struct part_tallies *tallies, int is_timed);

/* Returns how many workers (packet_pool.h) shall process the packets. */
unsigned int part_packets_workers(const struct part_packets *packets);

void part_packets_fini(struct part_packets *packets);

#endif
