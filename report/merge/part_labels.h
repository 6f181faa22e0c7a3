/* SPDX-License-Identifier: MIT */
/*
 * Adds the calls in a part's packets to the tree as functions with labels
 * (call_labels.h).
 */
#ifndef CLEW_MERGE_PART_LABELS_H
#define CLEW_MERGE_PART_LABELS_H

#include "report/merge/contexts.h"
#include "report/merge/label_fields.h"
#include "report/merge/part_packets.h"
#include "report/merge/roots.h"

struct part_labels {
	const struct part_packets *packets;
	const struct label_wish *wish;
	struct label_fields fields;
};

/*
 * Returns whether the packets contain the wanted labels. Call
 * part_labels_fini() in any case.
 */
int part_labels_init(struct part_labels *labels, const struct label_wish *wish,
		     const struct part_copy *part,
		     const struct part_packets *packets);
void part_labels_fini(struct part_labels *labels);

/*
 * Adds the calls in packets with their labels. Calls whose packets were reused
 * have no labels: of these, the calls that workers have counted are added
 * without labels here; the process has counted the others in its part.
 */
void part_labels_add(const struct part_labels *labels,
		     struct contexts *contexts, struct roots *roots);

/*
 * Called after all parts were added. Sets negative counts to 0, and limits tail
 * calls to the number of calls. A count is negative if the packet with a call
 * was reused, but the next packet, with the call's value, was not.
 */
void labels_settle(struct tree *tree);

#endif
