/* SPDX-License-Identifier: MIT */
/*
 * Who calls natives: Java methods by the place of a call, and the numbers under
 * which they count.
 *
 * A place is an address: of compiled code behind a call, or of the bytecode that
 * the interpreter executes. Each stands for one method, the innermost one that
 * is inlined there, until code or classes are unloaded.
 */
#ifndef CLEW_JVM_JAVA_CALLERS_H
#define CLEW_JVM_JAVA_CALLERS_H

#include <stdint.h>

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
 * The same, asked of the machine: the calling thread is in a native that Java has
 * called from that place. CALLERS_NOBODY where no Java method has, and where it
 * cannot be told.
 */
uint32_t callers_learn(struct bridge_frame *frame);

/*
 * The machine is asked from here on: it is being started. 0, or -1 if it cannot
 * be, or its interpreter's frames could not be told.
 */
int callers_begin(void *vm);

#endif
