/* SPDX-License-Identifier: MIT */
/*
 * The packets of a part, if it has a trace beside it, on their way into the tree: as
 * tallies that count (packet_counts.h), and with what is odd about them.
 */
#ifndef CLEW_MERGE_PART_PACKETS_H
#define CLEW_MERGE_PART_PACKETS_H

#include "report/merge/packet_counts.h"
#include "report/recording/recording_reader.h"

struct part_packets {
	struct packet_counts counts;
};

/* Adds them to the part's tallies, which they must outlive. */
void part_packets_add(struct part_packets *packets, struct recording *recording,
		      const struct part_copy *part,
		      struct part_tallies *tallies);

void part_packets_fini(struct part_packets *packets);

#endif
