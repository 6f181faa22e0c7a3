/* SPDX-License-Identifier: MIT */
/*
 * Finds the Java method that calls a native method by the location of the call,
 * and the number under which the caller counts.
 *
 * A location is an address: the return address in compiled code, or the address
 * of the bytecode that the interpreter executes. Each location belongs to one
 * method, the innermost of those that are inlined there, until code or classes
 * are unloaded.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_CALLERS_H
#define CLEW_JVM_NATIVES_JAVA_CALLERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "jvm/hotspot/java_recall.h"
#include "preload/hot/stamp_counter.h"

struct bridge_frame;

/* The number of locations from which no Java method calls. */
#define CALLERS_NOBODY UINT32_MAX

#define CALLERS_LOG2   16
#define CALLERS_COUNT  (1 << CALLERS_LOG2)

/*
 * {location >> 16, number} at index location ^ location >> 16, modulo the
 * table's size. Index and entry together contain all 47 bits of a location. 0:
 * free. Any thread.
 */
extern _Atomic uint64_t callers_known[CALLERS_COUNT];

/*
 * Returns the number of the method that calls from a location; 0: not known.
 * Any thread.
 */
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
 * {hash >> 16, number} of Java stacks (java_stack.h), in one of two entries.
 * The bits of the hash in the index and the entry distinguish all stacks but
 * one in 2^46. 0: free. Any thread.
 */
#define CALLERS_STACKS_LOG2 18
#define CALLERS_STACKS      (1 << CALLERS_STACKS_LOG2)

/*
 * Allocated before any stack gets a hash; programs without Java do not need it.
 */
extern _Atomic uint64_t *callers_stacks;

static inline _Atomic uint64_t *callers_stack_entry(uint64_t hash, int second)
{
	const uint64_t first = hash ^ hash >> CALLERS_LOG2;

	return &callers_stacks[(second ? ~first : first) % CALLERS_STACKS];
}

/*
 * Returns the number of the Java stack with that hash; 0: not known. Any
 * thread.
 */
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
 * True if the JVM may be asked again for a JAVA_STACK_FROZEN stack: such
 * requests must take less than an eighth of the thread's time.
 */
#define CALLERS_FROZEN_PART 8
/* Ticks that are available at first. */
#define CALLERS_FROZEN_CREDIT (UINT64_C(1) << 26)

static inline int callers_may_ask_frozen(void)
{
	const struct java_recall *recall = hot.java_recall;

	return !recall || !recall->frozen_since ||
	       recall->frozen_ticks * CALLERS_FROZEN_PART <
		       stamp_counter() - recall->frozen_since +
			       CALLERS_FROZEN_CREDIT;
}

/*
 * Asks the JVM for that number. The calling thread is in a native that Java has
 * called from that location, or with that stack. Returns CALLERS_NOBODY if no
 * Java method has called, or if the number cannot be determined.
 */
uint32_t callers_learn(struct bridge_frame *frame);

/*
 * Forgets all numbers, because locations will belong to other methods. Nothing
 * is remembered until callers_trust() has been called as often. Any thread.
 */
void callers_doubt(void);
void callers_trust(void);

/*
 * Requests the events from a JVM that is being started. Returns 0, or -1 if the
 * JVM refuses them.
 */
int callers_begin(void *vm);

/*
 * In a running JVM, called after callers_begin(): requests are possible at
 * once. callers_end_late() ends requests and events. The result is 0, or -EBUSY
 * if a thread is still making a request.
 */
void callers_begin_late(void);
int callers_end_late(void);

#endif
