/* SPDX-License-Identifier: MIT */
/*
 * Tail calls: where a function counts that another one has jumped to.
 *
 * Its return address is the exit of a stub: that of the function which was called
 * at this stack slot, the slot's *owner*. The owner has jumped to another function,
 * or that one in turn to a third: a *chain* of jumps. Each function of a chain
 * counts below the one that jumped to it:
 *
 *	main calls f, which jumps to g, which jumps to h:  main -> f -> g -> h
 *
 * The thread's id is that of the function that jumps, so the stub steps on from it.
 * The shadow has the id of the owner's caller. What lies in between is kept in a table,
 * for whoever walks along the stack: the function of each context that was ever
 * reached by a jump.
 *
 * State machines and interpreters jump for ever. Therefore a function that is in the
 * chain already is *cut* when it is jumped to again: from then on, in the whole process,
 * it counts below the owner, whoever jumps to it. Each cycle contains such a function,
 * so chains end. A chain of more than TAILS_CHAIN_MAX jumps goes on below the owner, too.
 *
 * Where nothing can be kept (memory has run out, or a filter forbids to map it), and
 * where the thread's id does not fit the slot, the function takes the place of the
 * owner, below the owner's caller.
 *
 * Any thread. Safe in signal handlers, which may come at any instruction.
 */
#ifndef CLEW_HOT_TAILS_H
#define CLEW_HOT_TAILS_H

#include <stdint.h>

#include "preload/hot/layout.h"

#define TAILS_CHAIN_MAX 64

/*
 * Keys of functions that are cut, two places for each hash; 0: free. Read by the thunk.
 */
extern uint32_t hot_tail_cuts[2 << TAIL_CUTS_LOG2];

/*
 * Ids of contexts that may be jumped to without further question, by their hash.
 * Read by the thunk.
 */
extern uint64_t hot_tail_known[1 << TAIL_KNOWN_LOG2];

/*
 * The ids that functions which loop to their entries would have, if they had jumped there
 * as to another function; likewise.
 */
extern uint64_t hot_tail_loops[1 << TAIL_LOOPS_LOG2];

/* Whether functions count below those that jump to them. Set by tails_begin(). */
extern uint32_t hot_tails_nest;

/*
 * Begins a session, before anything is hooked. Cuts of a former session end: their
 * numbers may be those of other functions.
 */
void tails_begin(int nest);

/* How a jump counts. */
struct tail_step {
	uint64_t id; /* of the function that is jumped to */
	/*
	 * TRACE_TAIL..._WORD: where it counts; 0: it is a loop of the function that is
	 * running, and no call.
	 */
	uint64_t word;
};

/*
 * The thread has jumped to a function's entry, and comes from the thunk, or from a
 * stack that has no place in the shadow of its own. The slot is that of the return
 * address; `stub` is the function's.
 */
struct tail_step hot_tail_step(const uint64_t *slot, const uint8_t *stub);

/*
 * The number of the function that runs as `id`, if that context was ever reached by
 * a jump; or 0.
 */
uint32_t tails_function(uint64_t id);

/*
 * A function that was jumped to counts below others than it seemed, in the context `id`
 * of a function with that number.
 */
void tails_move(uint64_t id, uint32_t function);

/*
 * Nothing jumps any more: all tables are empty from now on, and what has their memory, in
 * whole pages, is zeroed by this function.
 */
void tails_forget(void (*zero)(void *pages, uint64_t bytes));

/*
 * The owner's id, if a chain of jumps leads from it to `id`, and somebody with the id
 * `caller` may have called it: whoever asks has to see whether its key is that of a function.
 * ID_ROOT: no chain does.
 */
uint64_t tails_owner(uint64_t caller, uint64_t id);

/*
 * Whether both ids belong to one chain of jumps, or are equal, at a slot whose owner was called
 * with the id `caller`.
 */
int tails_share_slot(uint64_t caller, uint64_t one, uint64_t other);

/* The id of whoever has called the owner of a slot. */
uint64_t tails_caller_at(const uint64_t *slot);

/*
 * Who has called or jumped to the function that runs as `id` at a slot whose shadow has
 * this caller.
 */
uint64_t tails_caller(uint64_t caller, uint64_t id);

/* The key of that function. */
uint64_t tails_key(uint64_t caller, uint64_t id);

#endif
