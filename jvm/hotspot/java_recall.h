/* SPDX-License-Identifier: MIT */
/*
 * The latest walks of Java stacks of a thread (java_stack.h). A walk that
 * begins at the same location and reads the same words as a former one ends in
 * the same way. If the same stack calls natives repeatedly, its words are
 * therefore compared with those of the former walk. This is faster than a walk,
 * because no load depends on the result of another.
 */
#ifndef CLEW_JVM_HOTSPOT_JAVA_RECALL_H
#define CLEW_JVM_HOTSPOT_JAVA_RECALL_H

#include <stdint.h>

#include "preload/hot/thread.h"

/*
 * Number of stored walks of a thread. The start of a walk determines its slot.
 */
#define RECALLED_COUNT 16
#define RECALLED_WORDS 122 /* words that a stored walk may have read */

/* The inputs of a walk, besides the words of the stack. */
struct recalled_start {
	uint64_t pc; /* 0 if no walk is stored */
	uint64_t sp;
	uint64_t fp_at; /* address where the frame pointer is stored */
	/* frame of the outer bridge, at which the walk may end */
	uint64_t outer;
	uint64_t generation; /* generation of addresses (java_stack_forget()) */
};

struct recalled_word {
	const uint64_t *at; /* address of the word on the stack */
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
	/* The next record in the list of all records (java_recall.c). */
	struct java_recall *next;
	_Atomic uint32_t is_taken;
	/*
	 * In ticks of the time stamp counter: when the thread made its first
	 * request to the JVM for a JAVA_STACK_FROZEN stack (0: none yet), and
	 * how long all these requests took (java_callers.h).
	 */
	uint64_t frozen_since, frozen_ticks;
	struct recalled_walk walks[RECALLED_COUNT];
};

/*
 * Returns the calling thread's slot for walks with this start, which may
 * contain a walk with another start; NULL if the thread has no memory for
 * walks.
 */
static inline struct recalled_walk *recalled_at(
	const struct recalled_start *start)
{
	const uint64_t place = start->pc >> 2 ^ start->sp >> 4 ^ start->sp >> 8;

	return hot.java_recall ? &hot.java_recall->walks[place % RECALLED_COUNT]
			       : NULL;
}

/*
 * Returns whether a stored walk has this start, and the stack still contains
 * the words that it has read.
 */
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
 * java_recall_begin() gives the calling thread memory for its walks, unless it
 * has some or memory is short; java_recall_end() frees this memory or makes it
 * available to another thread. A thread without this memory walks every stack.
 */
void java_recall_begin(void);
void java_recall_end(void);

/*
 * Marks the memory of all threads as unused, so that threads can get it again.
 * Called when clew attaches again; no thread has memory for walks then.
 */
void java_recall_begin_again(void);

#endif
