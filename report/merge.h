/* SPDX-License-Identifier: MIT */
/*
 * From what processes recorded to one tree of all of them.
 *
 * Within a process a context is its id, and its caller follows from the id
 * alone. Across processes ids mean nothing, so each process's contexts are
 * turned into nodes by function and parent, and equal ones fall together.
 */
#ifndef CLEW_REPORT_MERGE_H
#define CLEW_REPORT_MERGE_H

#include "report/catalog.h"
#include "report/recording.h"
#include "report/tree.h"

/* Whose calls to take; zero-initialised, everybody's. */
struct whose {
	uint32_t pid;       /* 0: all processes */
	const char *thread; /* NULL: all threads; else a tid or a name */
};

/* What was found on the way. */
struct merged {
	uint64_t processes; /* that are selected; several parts after exec */
	uint64_t threads;
	uint64_t follow_ups; /* threads that share a selected one's counts */
	uint64_t strays;     /* calls of ids that no context explains */
};

/*
 * Adds all parts to `tree` and their functions to `catalog`, both of which
 * the caller has initialised, and sums the tree up.
 */
void merge_recording(const struct recording *recording,
		     const struct whose *whose, struct catalog *catalog,
		     struct tree *tree, struct merged *merged);

#endif
