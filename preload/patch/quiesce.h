/* SPDX-License-Identifier: MIT */
/*
 * Waits until no thread is at certain addresses of the code, while all threads
 * run.
 *
 * The caller has ensured that no thread enters these addresses any more. Some
 * threads may still be there, or may return there from a signal handler. Each
 * thread is checked, repeatedly if it was inside, until it is outside:
 *
 *	asleep in the kernel	its pc and stack are read from outside; the
 *				system call continues undisturbed
 *	running			a signal makes it check itself (pc_query.h)
 *
 * For the bytes of a site, only pcs in signal frames matter, because no call
 * returns into these bytes (see relocate()). For memory that will be freed,
 * every word of a stack matters.
 */
#ifndef CLEW_PATCH_QUIESCE_H
#define CLEW_PATCH_QUIESCE_H

#include <stdint.h>

struct quiesce_places {
	/*
	 * Returns whether pc is in the places. It is called in signal handlers.
	 */
	int (*contains)(const void *context, uint64_t pc);
	const void *context;
	/* any word of a stack counts as a possible return address */
	int every_word;
};

/*
 * Waits until no thread is inside `places`, which must never be freed, because
 * a signal handler may run late. Only one thread at a time may call this
 * function, with all signals blocked. Returns 0; -EBUSY with the *tid of a
 * thread that could not be queried or was still inside when CLOCK_MONOTONIC
 * reached deadline_ns; or another -errno.
 */
int quiesce(const struct quiesce_places *places, uint64_t deadline_ns,
	    int *tid);

/*
 * Reports the pc and the stack pointer at which the calling thread was
 * interrupted. clew's SIGTRAP handler calls it, because it blocks all signals,
 * so the thread cannot be queried there. The call is cheap if no thread waits
 * in quiesce().
 */
void quiesce_report_self(uint64_t pc, uint64_t sp);

/*
 * Waits until each thread was seen to be able to take a breakpoint: it does not
 * block SIGTRAP, and does not wait for a vfork child, which uses this memory
 * with signal handlers of its own. Returns the same values as quiesce().
 */
int quiesce_can_trap(uint64_t deadline_ns, int *tid);

#endif
