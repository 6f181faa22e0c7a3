/* SPDX-License-Identifier: MIT */
/*
 * Selects the threads of a part whose counts are added to the tree, and
 * determines the node below which they are added (their root): the tree's root,
 * or a node for each process or thread.
 */
#ifndef CLEW_MERGE_ROOTS_H
#define CLEW_MERGE_ROOTS_H

#include "base/idmap.h"
#include "report/merge/merge.h"
#include "report/recording/part_threads.h"

struct roots {
	const struct part_copy *part;
	const struct whose *whose;
	struct catalog *catalog;
	struct tree *tree;
	struct threads threads;
	/*
	 * For selected tallies, maps 1 + the tally's number to 1 + the node of
	 * its root.
	 */
	struct idmap of_tally;
};

void roots_init(struct roots *roots, const struct part_copy *part,
		const struct whose *whose, struct catalog *catalog,
		struct tree *tree);
void roots_fini(struct roots *roots);

/*
 * Returns whether the part's process and any of its threads are selected. A
 * part without threads is selected if whose->thread is NULL.
 */
int roots_want_anybody(const struct roots *roots);

/*
 * Returns whether all contexts of the part are selected, below the tree's root.
 */
int roots_want_everything(const struct roots *roots);

/*
 * Gives each tally the root of its first selected thread. Updates
 * merged->threads and merged->follow_ups.
 */
void roots_select(struct roots *roots, struct merged *merged);

/*
 * Returns 1 + the node of the root for a tally's contexts, or 0 if the tally is
 * not selected. A tally without a thread, which a killed process may leave, is
 * selected if all threads are.
 */
uint64_t roots_of(struct roots *roots, uint32_t tally);

#endif
