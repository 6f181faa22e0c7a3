/* SPDX-License-Identifier: MIT */
/*
 * Which threads' counts of a part, the file that one process has left, go into the
 * tree, and below which node: the tree's own root, or one for each process or
 * thread.
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
	struct idmap of_tally; /* number + 1 -> root + 1, of those wanted */
};

void roots_init(struct roots *roots, const struct part_copy *part,
		const struct whose *whose, struct catalog *catalog,
		struct tree *tree);
void roots_fini(struct roots *roots);

int roots_want_anybody(const struct roots *roots);

/* Then all contexts of the part are wanted, below the tree's own root. */
int roots_want_everything(const struct roots *roots);

/*
 * Gives each tally its root, by the first wanted thread that counted there,
 * and counts such threads.
 */
void roots_select(struct roots *roots, struct merged *merged);

/*
 * Where a tally's contexts go: 0 if nobody wants it, or root + 1. A tally
 * without a thread, which a kill may leave, is wanted if all are.
 */
uint64_t roots_of(struct roots *roots, uint32_t tally);

#endif
