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
 * On a stack only signal frames matter: no call returns into the bytes of a
 * site (see relocate()). For memory that will be freed every word matters.
 */
#ifndef CLEW_PATCH_QUIESCE_H
#define CLEW_PATCH_QUIESCE_H

#include <stdint.h>

struct quiesce_places {
	/* Must be safe in signal handlers. */
	int (*contains)(const void *context, uint64_t pc);
	const void *context;
	int every_word; /* any word of the stacks may be a return address */
};

/*
 * Waits until no thread is inside `places`, which must never be freed, because
 * a handler may run late. One caller at a time, with all signals blocked.
 * Returns 0; -EBUSY with the *tid of a thread that could not be queried or was
 * still inside when CLOCK_MONOTONIC reached deadline_ns; or another -errno.
 */
int quiesce(const struct quiesce_places *places, uint64_t deadline_ns,
	    int *tid);

/*
 * Called by the handler of SIGTRAP, which blocks all signals and so cannot be
 * queried: reports the pc and stack pointer at which the calling thread was
 * interrupted. Cheap if no thread waits.
 */
void quiesce_report_self(uint64_t pc, uint64_t sp);

/*
 * Waits until each thread was seen to be able to take a breakpoint: it does not
 * block SIGTRAP, and does not wait for a vfork child, which uses this memory
 * with signal handlers of its own. Returns as quiesce().
 */
int quiesce_can_trap(uint64_t deadline_ns, int *tid);

#endif
