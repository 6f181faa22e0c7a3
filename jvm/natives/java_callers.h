/* SPDX-License-Identifier: MIT */
/*
 * Which Java method calls a native one, by the place of the call, and the number
 * under which it counts there.
 *
 * A place is an address: of compiled code behind a call, or of the bytecode that
 * the interpreter executes. Each stands for one method, the innermost one that
 * is inlined there, until code or classes are unloaded.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_CALLERS_H
#define CLEW_JVM_NATIVES_JAVA_CALLERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "jvm/hotspot/java_recall.h"
#include "preload/hot/stamp_counter.h"

struct bridge_frame;

/* A place from which no Java method calls. */
#define CALLERS_NOBODY UINT32_MAX

#define CALLERS_LOG2   16
#define CALLERS_COUNT  (1 << CALLERS_LOG2)

/*
 * {place >> 16, number} at place ^ place >> 16, modulo the table's size: with its
 * index, an entry has the whole of a place of 47 bits. 0: free. Any thread.
 */
extern _Atomic uint64_t callers_known[CALLERS_COUNT];

/* The number of the method that calls from a place; 0: not known. Any thread. */
static inline uint32_t callers_find(uint64_t place)
{
	const uint64_t entry = __atomic_load_n(
		(const uint64_t
			 *)&callers_known[(place ^ place >> CALLERS_LOG2) %
					  CALLERS_COUNT],
		__ATOMIC_RELAXED);

	return entry >> 32 == place >> CALLERS_LOG2 ? (uint32_t)entry : 0;
}

/*
 * {hash >> 16, number} of Java stacks (java_stack.h), in one of two entries: what
 * is between the bits of the entry's number and those in it tells them apart but
 * for one in 2^46. 0: free. Any thread.
 */
#define CALLERS_STACKS_LOG2 18
#define CALLERS_STACKS      (1 << CALLERS_STACKS_LOG2)

/* There before any stack has a hash: programs without Java have no use for them. */
extern _Atomic uint64_t *callers_stacks;

static inline _Atomic uint64_t *callers_stack_entry(uint64_t hash, int second)
{
	const uint64_t first = hash ^ hash >> CALLERS_LOG2;

	return &callers_stacks[(second ? ~first : first) % CALLERS_STACKS];
}

/* The number of a Java stack with that hash; 0: not known. Any thread. */
static inline uint32_t callers_find_stack(uint64_t hash)
{
	for (int i = 0; i < 2; i++) {
		const uint64_t entry = atomic_load_explicit(
			callers_stack_entry(hash, i), memory_order_relaxed);

		if (entry >> 32 == hash >> CALLERS_LOG2)
			return (uint32_t)entry;
	}
	return 0;
}

/*
 * Whether the machine may be asked for a stack that is JAVA_STACK_FROZEN, each time
 * again: as long as that takes a thread less than an eighth of its time.
 */
#define CALLERS_FROZEN_PART   8
#define CALLERS_FROZEN_CREDIT (UINT64_C(1) << 26) /* ticks, at first */

static inline int callers_may_ask_frozen(void)
{
	const struct java_recall *recall = hot.java_recall;

	return !recall || !recall->frozen_since ||
	       recall->frozen_ticks * CALLERS_FROZEN_PART <
		       stamp_counter() - recall->frozen_since +
			       CALLERS_FROZEN_CREDIT;
}

/*
 * The same, asked of the machine: the calling thread is in a native that Java has
 * called from that place, or with that stack. CALLERS_NOBODY where no Java method
 * has, and where it cannot be told.
 */
uint32_t callers_learn(struct bridge_frame *frame);

/*
 * Until callers_trust(), as often called, what the machine says is not remembered,
 * and what was known is forgotten: places become other methods'. Any thread.
 */
void callers_doubt(void);
void callers_trust(void);

/*
 * The machine is asked from here on: it is being started. 0, or -1 if it cannot
 * be, or its interpreter's frames could not be told.
 */
int callers_begin(void *vm);

/*
 * After that, where the machine runs already: it may be asked at once. And it is asked no
 * more, nor heard: 0, or -EBUSY if somebody does so still.
 */
void callers_begin_late(void);
int callers_end_late(void);

#endif
