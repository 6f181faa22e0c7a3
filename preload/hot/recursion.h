/* SPDX-License-Identifier: MIT */
/*
 * Recursion that has no contexts of its own (--fold-recursion).
 *
 * Where a program recurses, each level is a context, and there is no end to them. If
 * it is wanted, a call of a function that is on its way already counts where it is on
 * that way, and so does all that it calls:
 *
 *	main -> a -> b -> a -> c	counts in	main -> a, main -> a -> c
 *
 * No context has a function twice then. Calls are counted all the same, each in some
 * context of its function; what is lost is how deep the recursion was.
 *
 * The thread's id is that of the context in which it counts, so there is no id of the
 * call's own in any table, and each such call takes the slow path (count.c). Its
 * caller's id is in the shadow as ever, and comes back when it returns; but the one
 * does not follow from the other any more, and who goes along a stack asks here.
 *
 * Safe where count.h is.
 */
#ifndef CLEW_HOT_RECURSION_H
#define CLEW_HOT_RECURSION_H

#include <stdint.h>

struct tally;

/*
 * The id that a function runs as whose own would be `id`, called by one that runs as
 * `caller`: that of the innermost context of its own that the caller is in or below; or
 * `id`, if there is none or recursion is not folded.
 */
uint64_t recursion_runs_as(uint64_t caller, uint64_t id);

/*
 * The function that runs as `id`, if that can be because `caller` has called it
 * recursively; or 0. Another that has called it runs below it, too.
 */
uint32_t recursion_function_between(uint64_t caller, uint64_t id);

/*
 * Have that go by the contexts of another tally, in a forked child whose own has none
 * yet; NULL: by the calling thread's again. Of one thread at a time.
 */
void recursion_look_in(const struct tally *tally);

#endif
