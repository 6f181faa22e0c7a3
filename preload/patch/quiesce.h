/* SPDX-License-Identifier: MIT */
/*
 * Making sure that no thread is in certain places of the code, while all of
 * them go on.
 *
 * Whoever calls has seen to it that nobody enters these places any more; some
 * may be in there still, or may return there from a signal handler. So every
 * thread is looked at once, and looked at again if it was inside, until it has
 * left:
 *
 *	asleep in the kernel	its pc and stack are read from outside; what it
 *				slept in goes on undisturbed
 *	running			it is asked to look for itself (ask.h)
 *
 * Of a stack only the frames of signals matter: no call returns into the bytes
 * of a site (see relocate()). For memory that is to be given back every word
 * does.
 */
#ifndef CLEW_PATCH_QUIESCE_H
#define CLEW_PATCH_QUIESCE_H

#include <stdint.h>

struct quiesce_places {
	/* Called in signal handlers too. */
	int (*contains)(const void *context, uint64_t pc);
	const void *context;
	int every_word; /* of the stacks could be a return address */
};

/*
 * Wait until no thread is inside `places`, which stays valid for ever: a
 * handler may be late. One caller at a time, with all signals
 * blocked. 0; -EBUSY with the *tid of a thread that could not be asked or did
 * not leave before CLOCK_MONOTONIC is deadline_ns; or other -errno.
 */
int quiesce(const struct quiesce_places *places, uint64_t deadline_ns,
	    int *tid);

/*
 * From the handler of SIGTRAP, which blocks all signals and so cannot be asked:
 * report that the calling thread was interrupted at this pc and stack pointer.
 * Cheap when nobody waits.
 */
void quiesce_report_self(uint64_t pc, uint64_t sp);

/*
 * Wait until every thread has been seen to be able to take a breakpoint: it
 * does not block SIGTRAP, and does not wait for a vfork child, which runs in
 * our memory with signal handlers of its own. As quiesce().
 */
int quiesce_can_trap(uint64_t deadline_ns, int *tid);

#endif
