/* SPDX-License-Identifier: MIT */
/*
 * Walks of Java stacks that a thread has made lately (java_stack.h): what begins at
 * the same place and finds the same words where the walk before did ends as that
 * did. So a stack that calls again and again is compared, and not walked: its words
 * need not wait for each other.
 */
#ifndef CLEW_JVM_HOTSPOT_JAVA_RECALL_H
#define CLEW_JVM_HOTSPOT_JAVA_RECALL_H

#include <stdint.h>

#include "preload/hot/thread.h"

#define RECALLED_COUNT 16 /* walks, by where they begin */
#define RECALLED_WORDS                                                         \
	122 /* that one may have read; longer ones are not kept */

/* What a walk depends on besides memory. */
struct recalled_start {
	uint64_t pc; /* 0: no walk */
	uint64_t sp;
	uint64_t fp_at; /* where the frame pointer is found, if it is needed */
	uint64_t outer; /* the bridge's that it may reach */
	uint64_t generation; /* of addresses */
};

struct recalled_word {
	const uint64_t *at; /* on the stack */
	uint64_t value;
};

struct recalled_walk {
	struct recalled_start start;
	uint64_t hash;
	uint32_t end; /* enum java_stack_end */
	uint32_t count;
	struct recalled_word words[RECALLED_WORDS];
};

struct java_recall {
	struct java_recall *next; /* where clew was attached */
	_Atomic uint32_t is_taken;
	/* Time-stamp ticks: since when stacks are asked for that cannot be
	 * walked, and how long that took (java_callers.h). */
	uint64_t frozen_since, frozen_ticks;
	struct recalled_walk walks[RECALLED_COUNT];
};

/* The thread's walk that began where this one does, or some other. */
static inline struct recalled_walk *recalled_at(
	const struct recalled_start *start)
{
	const uint64_t place = start->pc >> 2 ^ start->sp >> 4 ^ start->sp >> 8;

	return hot.java_recall ? &hot.java_recall->walks[place % RECALLED_COUNT]
			       : NULL;
}

/* Whether this one would be the same. */
static inline int recalled_is(const struct recalled_walk *walk,
			      const struct recalled_start *start)
{
	if (walk->start.pc != start->pc || walk->start.sp != start->sp ||
	    walk->start.fp_at != start->fp_at ||
	    walk->start.outer != start->outer ||
	    walk->start.generation != start->generation)
		return 0;
	for (uint32_t i = 0; i < walk->count; i++)
		if (*walk->words[i].at != walk->words[i].value)
			return 0;
	return 1;
}

/*
 * Room for the calling thread, which may have some already; and none any more. Where
 * there is none, every stack is walked.
 */
void java_recall_begin(void);
void java_recall_end(void);

/* No thread has any, since the process was left. */
void java_recall_begin_again(void);

#endif
