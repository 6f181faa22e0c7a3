/* SPDX-License-Identifier: MIT */
/*
 * Tail calls: decides in which context a function counts that was reached by a
 * jump.
 *
 * The return address of such a function is the exit of another stub: that of
 * the function which was called at this stack slot, the slot's *owner*. The
 * owner has jumped to another function, which may have jumped to a third: a
 * *chain* of jumps. Each function of a chain counts below the one that jumped
 * to it:
 *
 *	main calls f, which jumps to g, which jumps to h:  main -> f -> g -> h
 *
 * The thread's id is that of the function that jumps, so the stub computes the
 * next id from it. The shadow has the id of the owner's caller. For walks, a
 * table holds the function of each context that was ever reached by a jump.
 *
 * State machines and interpreters jump for ever. Therefore a function that is
 * jumped to while it is in the chain already is *cut*: from then on, in the
 * whole process, it counts below the owner, whatever function jumps to it. Each
 * cycle contains such a function, so chains end. A chain of more than
 * TAILS_CHAIN_MAX jumps also continues below the owner.
 *
 * The function takes the owner's place, below the owner's caller, in three
 * cases: it is cut and is the owner itself; the table has no room (no memory,
 * or a filter forbids to map it); or the thread's id does not fit the slot.
 *
 * A context that was ever reached by a jump stays so: a jump that leads there
 * from the running function counts there, even if the function was cut since.
 * The stub finds this context in the count table and needs no decision.
 *
 * Any thread may call these functions. All are safe in signal handlers, at any
 * instruction.
 */
#ifndef CLEW_HOT_TAILS_H
#define CLEW_HOT_TAILS_H

#include <stdint.h>

#include "preload/hot/layout.h"

#define TAILS_CHAIN_MAX 64

/*
 * The keys of functions that are cut (see above), two elements for each hash. A
 * free element is 0. A thunk reads them.
 */
extern uint32_t hot_tail_cuts[2 << TAIL_CUTS_LOG2];

/*
 * Ids of contexts to which a jump needs no further check, by their hash. The
 * thunk reads them.
 */
extern uint64_t hot_tail_known[1 << TAIL_KNOWN_LOG2];

/*
 * For functions that contain a jump to their own entry: the ids that they would
 * have if that jump were a tail call, by their hash. The thunk reads them.
 */
extern uint64_t hot_tail_loops[1 << TAIL_LOOPS_LOG2];

/*
 * 1 if a function that was reached by a tail call counts below the function
 * that jumped (the default). Set by tails_begin().
 */
extern uint32_t hot_tails_nest;

/*
 * Begins a session, before anything is hooked. `nest` is the value of
 * hot_tails_nest. In an attached process, forgets which functions are cut: the
 * keys in hot_tail_cuts are those of a former session, and may now belong to
 * other functions.
 */
void tails_begin(int nest);

/* How a jump counts. */
struct tail_step {
	uint64_t id; /* id of the function that is jumped to */
	/*
	 * The TRACE_TAIL..._WORD that says where the function counts. 0: the
	 * running function has jumped to its own entry, which is no call.
	 */
	uint64_t word;
};

/*
 * Decides how a jump to a function's entry counts. Called by the thunk, and by
 * the slow path for stacks below hot_shadow_low. `slot` is that of the return
 * address, and `stub` is the stub of the function that was jumped to.
 */
struct tail_step hot_tail_step(const uint64_t *slot, const uint8_t *stub);

/*
 * Returns the number of the function of context `id` if that context was ever
 * reached by a jump, or 0.
 */
uint32_t tails_function(uint64_t id);

/*
 * Records that a function was jumped to and counts in the context `id` instead
 * of in its own. `function` is the number of the function whose context `id`
 * is.
 */
void tails_move(uint64_t id, uint32_t function);

/*
 * Empties all tables by zero(), which zeroes whole pages. No hooked function
 * may be jumped to at that time.
 */
void tails_forget(void (*zero)(void *pages, uint64_t bytes));

/*
 * Returns the id of the owner of a slot. `caller` is the caller's id in the
 * slot's shadow. Returns ID_ROOT if no chain of jumps leads from the owner to
 * `id`. Does not check that the owner's number belongs to an existing function.
 */
uint64_t tails_owner(uint64_t caller, uint64_t id);

/*
 * Returns whether both ids belong to one chain of jumps, or are equal, at a
 * slot whose owner was called with the id `caller`.
 */
int tails_share_slot(uint64_t caller, uint64_t one, uint64_t other);

/* Returns the id of the caller of a slot's owner. */
uint64_t tails_caller_at(const uint64_t *slot);

/*
 * A function runs in the context `id` at a slot whose shadow contains the
 * caller's id `caller`. Returns the id of the function that has jumped to that
 * function, or, if the function was called, `caller`.
 */
uint64_t tails_caller(uint64_t caller, uint64_t id);

/*
 * A function runs in the context `id` at a slot whose shadow contains the
 * caller's id `caller`. Returns the key (id_key()) of that function.
 */
uint64_t tails_key(uint64_t caller, uint64_t id);

#endif
