/* SPDX-License-Identifier: MIT */
/*
 * Folded recursion (--fold-recursion): recursive calls get no contexts of their
 * own.
 *
 * Each level of a recursion is a context at first. When a thread has more
 * contexts than a limit, recursion is folded there: a call of a function that
 * is active already, and whose own context is not recorded, counts in the
 * context of the innermost active call, and so do the calls that it makes:
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

#include "preload/hot/layout.h"

/*
 * How many callers are searched for a function. Contexts that were recorded
 * before recursion was folded may be deeper, and each of them costs a cache
 * miss.
 */
#define RECURSION_REACH 1024

struct tally;

/*
 * A cache that maps the id of a call to the id with which its function runs.
 * All threads share it. A result holds for the thread that found it, as long as
 * the thread has the same count table. The thunk reads the cache (thunks.inc).
 */
struct hot_way {
	uint64_t mixed; /* id ^ found ^ address of the thread's table */
	/* id of the context; ID_ROOT if the element is unused */
	uint64_t found;
};

extern struct hot_way hot_ways[1 << HOT_WAYS_LOG2];

/*
 * 1 if recursion may be folded in any thread now. Written by the next functions
 * only.
 */
extern uint32_t hot_recursion_folds;

/*
 * From now on folds recursion in threads whose tallies have rt.fold_beyond
 * contexts or more, and says so in the recording. Threads may call this
 * function at the same time.
 */
void recursion_begin(void);

/*
 * In a forked child: folds recursion from the start if its parent has folded
 * any, because the child's stack may have folded calls.
 */
void recursion_inherit(void);

/* Prepares a session in which recursion is not folded yet. */
void recursion_forget(void);

/*
 * Returns the id with which a function runs that is called from `caller` and
 * whose own id would be `id`, if `id` is not recorded: the id of the innermost
 * context of the same function that contains the caller. Returns `id` if there
 * is none within RECURSION_REACH callers, or if recursion is not folded in the
 * calling thread. Requires hot_recursion_folds, and is called by slow paths
 * only (tally_enter_path()).
 */
uint64_t recursion_fold(uint64_t caller, uint64_t id);

/*
 * Returns the id with which a function runs that was called from `caller` and
 * whose own id would be `id`: `id` if it is recorded or recursion is not
 * folded, else the result of recursion_fold().
 */
uint64_t recursion_runs_as(uint64_t caller, uint64_t id);

/*
 * Returns the function that runs as `id`, or 0 if the context is not recorded
 * or recursion is not folded. No other result of recursion_function_between()
 * is possible for this id; this takes less time.
 */
uint32_t recursion_function_of(uint64_t id);

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
