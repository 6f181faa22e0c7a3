/* SPDX-License-Identifier: MIT */
/*
 * Walks along the active calls of a thread, outwards.
 *
 * The shadow slots of running functions form a chain: each holds its caller's
 * id. Two consecutive ids determine a key, and only a slot of this chain yields
 * the key of an existing function (another slot does so by chance, with a
 * probability of 2^-45). Where recursion is folded there are further tests. In
 * addition the stack must still show that the function there is running.
 * Therefore a walk skips stale slots between valid ones. Functions that return
 * to trampolines (hot/trampoline.h) have their link in the trampoline's record.
 *
 * A function that was entered by a tail call shares its slot with the functions
 * that have jumped to it. Each has a link of its own, innermost first.
 *
 * A walk reads the calling thread's shadow only. All functions are safe in
 * signal handlers.
 */
#ifndef CLEW_STACK_WALK_H
#define CLEW_STACK_WALK_H

#include <stdint.h>

#include "preload/hot/shadow.h"
#include "preload/stack/walk_slots.h"

/*
 * Most functions have their slot within this distance from a stack pointer in
 * their frame.
 */
#define WALK_FRAME_BYTES 65536

/*
 * link.at of a function that has no stack slot (rt.slotless_function), such as
 * a Java method. The value is larger than any slot, because the function is
 * further out than all calls that it makes.
 */
#define WALK_NO_SLOT UINT64_MAX

struct walk {
	uint64_t at;        /* the stack slot to continue from */
	uint64_t id;        /* id of the function whose slot is searched next */
	uint32_t scan_left; /* slots that may still be read */
	uint32_t gap_left;  /* slots that may be read before the next link */
	uint32_t gap_max;   /* maximum of gap_left; 0: GAP_MAX */
	/* slots that tests of links may still read (--fold-recursion) */
	uint32_t ahead_left;
	/* The page that was read last (walk_read()). */
	uint64_t mapped_page;
	/* Memory from here to readable_until is readable. */
	uint64_t readable_from;
	uint64_t readable_until; /* end of the readable memory */
	/*
	 * Slots below this address may be those of an interrupted stub, which
	 * may be about to change them; 0: none.
	 */
	uint64_t interrupted_until;
	/* id of a caller from which no chain continues, or ID_ROOT */
	uint64_t broken_at;
	uint64_t interrupted_pc; /* pc of the latest signal */
	/*
	 * The trampoline of the last link's caller, if that is generated code
	 * (generated_callers.c).
	 */
	const struct trampoline *generated;
	/* Used as the shadow slot of a link that has no slot. */
	struct shadow_slot slotless;
	/*
	 * The shadow slot of the last link, if other functions have jumped to
	 * the link's function at this slot, or NULL.
	 */
	struct shadow_slot *chain;
	/* id of the caller of the function that the slot belongs to */
	uint64_t chain_caller;
	uint8_t has_begun;
	uint8_t is_folded; /* `id` is that of a "(folded)" */
	/*
	 * functions of the context `id` may have been entered by tail calls
	 * (hot/tails.h)
	 */
	uint8_t is_jumped;
	/*
	 * 1 if the stack could not be read at the last link, so that its shadow
	 * slot is believed
	 */
	uint8_t is_believed;
	uint8_t is_handler; /* the last link is a signal handler */
	/* A signal has interrupted clew's code for the next function. */
	uint8_t is_in_clew;
	/* this walk only checks whether a chain continues from a link */
	uint8_t is_ahead;
	/* this walk has found links that continue (known_links in walk.c) */
	uint8_t has_known;
};
/*
 * clang copies a larger struct by a call of memcpy(), which warm code must not
 * make.
 */
_Static_assert(sizeof(struct walk) <= 128, "clang");

struct link {
	uint64_t at; /* stack slot, or WALK_NO_SLOT */
	uint64_t id; /* id of the function */
	/* must not be written if trampoline_has(shadow) */
	struct shadow_slot *shadow;
	uint32_t function; /* number of the function, or WIRE_FOLDED */
	/*
	 * The function has made a tail call to the function of the preceding
	 * link. Both have the same slot.
	 */
	int has_jumped;
};

/*
 * Begins a walk at a stack slot at or below that of the function with this id.
 */
struct walk walk_from(const void *slot, uint64_t id);

/*
 * If the slot is on the stack on which the thread began, the walk takes that
 * stack for readable. It then needs no system calls to check pages, and is
 * fast.
 */
void walk_trust_own_stack(struct walk *walk, const void *slot);

/*
 * Returns whether the stack may begin at the slot at this address, so that the
 * memory above the slot may belong to another stack. `id` is the id of the
 * caller that the slot contains.
 */
typedef int walk_start(uint64_t at, uint64_t id);

/*
 * For folded recursion, where a walk may have chosen the wrong one of several
 * possible links. Follows all possible chains from the slot outwards. Returns
 * WALK_HAS_WAY if one of them reaches the root, ends where a walk has to end,
 * or passes a slot for which is_start() returns true. *end then becomes the id
 * of the last caller, or of the caller at the innermost start. Returns
 * WALK_HAS_TOO_MANY if no chain does, but there are more of them, or of
 * their links, than are followed.
 */
enum walk_ways { WALK_HAS_NO_WAY, WALK_HAS_WAY, WALK_HAS_TOO_MANY };

enum walk_ways walk_has_any_way(const void *slot, uint64_t id,
				walk_start *is_start, uint64_t *end);

/* Returns whether the calls of the function with this id have no stack slot. */
int walk_is_slotless(uint64_t id);

/*
 * Like walk_is_slotless(), but also returns true if the calling thread's tally
 * has no record of the context, so that the function is unknown.
 */
int walk_may_be_slotless(uint64_t id);

/*
 * Returns whether walks end at the function with this id (struct hot_border).
 */
int walk_is_border(uint64_t id);

/*
 * Finds the next running function. Afterwards walk->id is its caller's id.
 * Returns false at the root, and where the chain cannot be followed.
 */
int walk_next(struct walk *walk, struct link *link);

/*
 * Moves the link that walk_next() has just returned to the outermost slot that
 * may be its function's. Code without stubs, such as an unwinder, calls hooked
 * functions at several depths. The slot of a call that has returned may then
 * lie within the frame of one that runs, with the same caller, and walk_next()
 * returns the inner slot. Below a "(folded)" the link stays, since all calls of
 * the recursion have the same caller.
 */
void walk_take_outermost(struct walk *walk, struct link *link);

/*
 * Continues a walk beyond a signal whose handler has no slot: searches the next
 * signal frame outwards of `at`, the last link's slot. Returns false if no link
 * follows a signal frame near there. *pc is the interrupted pc if clew's code
 * was interrupted, else 0; pc may be NULL.
 */
int walk_next_interrupted(struct walk *walk, uint64_t at, struct link *link,
			  uint64_t *pc);

/*
 * Searches for a signal frame between `at` and `until`, the slots of two
 * successive links. Returns the interrupted pc if the signal has interrupted
 * clew's code for the outer link, or 0.
 */
uint64_t walk_interrupted_pc(const struct walk *walk, uint64_t at,
			     uint64_t until);

/*
 * Searches any stack, from an address outwards, for the nearest slot of a
 * running function, and stores the function's id. Returns false and leaves *id
 * unchanged if none is near.
 */
int walk_find_running(uint64_t stack, uint64_t *id);

/*
 * Returns the id with which a function with this key runs after a call from the
 * context `caller`: also that of a recursive function that counts in an outer
 * context (hot/recursion.h), or that of a "(folded)".
 */
uint64_t walk_running_as(uint64_t caller, uint64_t key);

/*
 * Returns whether walk_next() has stopped because it has read too many slots.
 */
static inline int walk_is_exhausted(const struct walk *walk)
{
	return !walk->scan_left;
}

#endif
