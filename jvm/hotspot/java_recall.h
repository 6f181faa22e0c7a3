/* SPDX-License-Identifier: MIT */
/*
 * The latest walks of Java stacks of a thread (java_stack.h). A walk that
 * begins at the same location and reads the same words as a former one ends in
 * the same way. A stack that calls repeatedly is therefore compared instead of
 * walked, and loads of its words do not depend on each other.
 */
#ifndef CLEW_JVM_HOTSPOT_JAVA_RECALL_H
#define CLEW_JVM_HOTSPOT_JAVA_RECALL_H

#include <stdint.h>

#include "preload/hot/thread.h"

#define RECALLED_COUNT 16  /* number of walks, by their start */
#define RECALLED_WORDS 122 /* words that a stored walk may have read */

/* The inputs of a walk besides memory. */
struct recalled_start {
	uint64_t pc; /* 0: no walk */
	uint64_t sp;
	uint64_t fp_at; /* where the frame pointer is stored, if it is needed */
	uint64_t outer; /* frame of the bridge that the walk may reach */
	uint64_t generation; /* generation of addresses */
};

struct recalled_word {
	const uint64_t *at; /* address on the stack */
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
	struct java_recall *next; /* in an attached process */
	_Atomic uint32_t is_taken;
	/*
	 * Time-stamp ticks: when the JVM was first asked for stacks that cannot
	 * be walked, and how long these requests took (java_callers.h).
	 */
	uint64_t frozen_since, frozen_ticks;
	struct recalled_walk walks[RECALLED_COUNT];
};

/*
 * Returns the slot for walks with this start, which may contain another walk.
 */
static inline struct recalled_walk *recalled_at(
	const struct recalled_start *start)
{
	const uint64_t place = start->pc >> 2 ^ start->sp >> 4 ^ start->sp >> 8;

	return hot.java_recall ? &hot.java_recall->walks[place % RECALLED_COUNT]
			       : NULL;
}

/* True if a walk with this start would read the same words. */
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
 * Allocate memory for the calling thread, unless it has some, and free it. A
 * thread without this memory walks every stack.
 */
void java_recall_begin(void);
void java_recall_end(void);

/* Takes the memory from all threads, after clew has detached. */
void java_recall_begin_again(void);

#endif
