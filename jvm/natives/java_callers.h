/* SPDX-License-Identifier: MIT */
/*
 * Finds the Java method that calls a native method by the location of the call,
 * and the number under which the caller counts.
 *
 * A location is an address: the return address in compiled code, or the address
 * of the bytecode that the interpreter executes. Each location belongs to one
 * method until code or classes are unloaded or changed. If several methods are
 * inlined at a location, it belongs to the innermost of them.
 */
#ifndef CLEW_JVM_NATIVES_JAVA_CALLERS_H
#define CLEW_JVM_NATIVES_JAVA_CALLERS_H

#include <stdatomic.h>
#include <stdint.h>

#include "jvm/hotspot/java_recall.h"
#include "preload/hot/stamp_counter.h"

struct bridge_frame;

/*
 * The "number" of a native's caller that is no Java method, or that cannot be
 * determined.
 */
#define CALLERS_NOBODY UINT32_MAX

#define CALLERS_LOG2   16
#define CALLERS_COUNT  (1 << CALLERS_LOG2)

/*
 * A cache of the numbers of callers, by the location of the call. Each entry is
 * location >> 16 in its upper half and the number in its lower half, at the
 * index (location ^ location >> 16) modulo the table's size. Index and entry
 * together contain all 47 bits of a location. A free entry is 0. Any thread may
 * read and write the cache.
 */
extern _Atomic uint64_t callers_known[CALLERS_COUNT];

/*
 * Returns the number that callers_known contains for a location, or 0 if it
 * contains none. The number is that of a Java stack with the calling method
 * alone or, without room for stacks, that of the method; or CALLERS_NOBODY. Any
 * thread may call this function.
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
 * A cache of the numbers of Java stacks (java_stack.h). Each entry is hash >>
 * 16 in its upper half and the number in its lower half, at one of two indices.
 * The bits of the hash that index and entry contain are equal for two different
 * stacks with a probability of 2^-46. A free entry is 0. Any thread may read
 * and write the cache.
 */
#define CALLERS_STACKS_LOG2 18
#define CALLERS_STACKS      (1 << CALLERS_STACKS_LOG2)

/* Allocated before any stack gets a hash, and only in programs with Java. */
extern _Atomic uint64_t *callers_stacks;

static inline _Atomic uint64_t *callers_stack_entry(uint64_t hash, int second)
{
	const uint64_t first = hash ^ hash >> CALLERS_LOG2;

	return &callers_stacks[(second ? ~first : first) % CALLERS_STACKS];
}

/*
 * Returns the number that callers_stacks contains for the hash of a Java stack,
 * or 0 if it contains none. The number is that of the stack or, without room
 * for stacks, that of its innermost method; or CALLERS_NOBODY. Any thread may
 * call this function.
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
 * Returns whether the thread may make another request to the JVM for a
 * JAVA_STACK_FROZEN stack. After the first such request, the sum of their times
 * may be up to an eighth of the time since then plus CALLERS_FROZEN_CREDIT.
 * Returns 1 also if the thread has no memory for the sum (hot.java_recall).
 */
#define CALLERS_FROZEN_PART 8
/* In ticks of the time stamp counter. */
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
 * Returns the number for frame->stack or, if this is 0, for frame->place. The
 * number is composed of known methods or requested from the JVM. Stores the
 * number in the cache, but not between callers_doubt() and callers_trust(), and
 * not for JAVA_STACK_FROZEN stacks. If frame->expected is not 0, it is the
 * cached number, which this call verifies. The calling thread is in the bridge
 * with this frame. If no number can be determined, returns frame->expected or,
 * if this is 0, CALLERS_NOBODY. Returns CALLERS_NOBODY also if no Java method
 * has called.
 */
uint32_t callers_learn(struct bridge_frame *frame);

/*
 * callers_doubt() forgets all numbers, because locations may soon belong to
 * other methods, and prevents that further ones are stored. callers_trust()
 * forgets them once more and ends this; it must be called as often as
 * callers_doubt(). Any thread may call these functions.
 */
void callers_doubt(void);
void callers_trust(void);

/*
 * Requests the events that this module needs. Called while a JVM is being
 * started, or when clew attaches. Returns 0, or -1 if the JVM refuses.
 */
int callers_begin(void *vm);

/*
 * callers_begin_late() is called after callers_begin() in a JVM that runs
 * already, and makes requests possible at once. callers_end_late() ends
 * requests and events, and returns 0, or -EBUSY if a thread is still making a
 * request.
 */
void callers_begin_late(void);
int callers_end_late(void);

#endif
