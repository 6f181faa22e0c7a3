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
 * Adds the labelled calls. Calls that the process or a worker counted before
 * their packets were reused have no labels; those counted by workers are added
 * without.
 */
void part_labels_add(const struct part_labels *labels,
		     struct contexts *contexts, struct roots *roots);

/*
 * Sets negative counts to 0, after all parts were added. These are calls whose
 * packet was reused, while the packet with their values still exists.
 */
void labels_settle(struct tree *tree);

#endif
