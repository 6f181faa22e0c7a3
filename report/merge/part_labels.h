/* SPDX-License-Identifier: MIT */
/*
 * The calls in a part's packets, on their way into the tree, as functions that stand for some
 * of another's calls only (call_labels.h).
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

/* Whether the packets say what is wished for. part_labels_fini() it in any case. */
int part_labels_init(struct part_labels *labels, const struct label_wish *wish,
		     const struct part_copy *part,
		     const struct part_packets *packets);
void part_labels_fini(struct part_labels *labels);

/*
 * Adds them. Those that were counted before their packets were used again, by whomever, have
 * no labels: of these, what workers have counted is added, too.
 */
void part_labels_add(const struct part_labels *labels,
		     struct contexts *contexts, struct roots *roots);

/*
 * When all parts are there: what is less than nothing is nothing. That is a call whose packet
 * was used again, while the one that says its values is there.
 */
void labels_settle(struct tree *tree);

#endif
