/* SPDX-License-Identifier: MIT */
/*
 * Folded recursion (--fold-recursion): recursive calls get no contexts of their
 * own.
 *
 * Without the option each level of a recursion is a context, up to the limit of
 * contexts. With it, a call of a function that is active already counts in the
 * context of the active call, and so do the calls that it makes:
 *
 *	main -> a -> b -> a -> c    counts in    main -> a, main -> a -> c
 *
 * Each call is still counted, in some context of its function; only the depth
 * of the recursion is lost.
 *
 * The thread's id is that of the context in which it counts. The call's own id
 * is in no table, so each such call takes the slow path (count.c). The caller's
 * id is in the shadow and is restored at the return as usual. But the ids of a
 * callee and its caller do not yield the callee's key any more, so walks along
 * a stack call recursion_function_between().
 *
 * All functions are safe where those of count.h are.
 */
#ifndef CLEW_HOT_RECURSION_H
#define CLEW_HOT_RECURSION_H

#include <stdint.h>

struct tally;

/*
 * Returns the id with which a function runs that is called from `caller` and
 * whose own id would be `id`: the id of the innermost context of the same
 * function that contains the caller. Returns `id` if there is none or recursion
 * is not folded.
 */
uint64_t recursion_runs_as(uint64_t caller, uint64_t id);

/*
 * Returns the function that runs as `id`, if `caller` may have called it
 * recursively, or 0. A result does not prove that `caller` did: other functions
 * below the context `id` get the same answer.
 */
uint32_t recursion_function_between(uint64_t caller, uint64_t id);

/*
 * In a forked child whose own tally has no contexts yet: makes
 * recursion_function_between() use those of another tally. NULL makes it use
 * the calling thread's tally again. Only one thread at a time may call this
 * function.
 */
void recursion_use_tally(const struct tally *tally);

#endif
