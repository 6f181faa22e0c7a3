/* SPDX-License-Identifier: MIT */
/*
 * Walking out along the calls that a thread is in.
 *
 * The shadow slots of running functions form a chain: each holds its caller's
 * id. From that and the id before it follows a key, and only a slot of this
 * very chain yields the key of a function that exists (one in 2^45 others
 * would); besides, the stack must still hold a stub's address there. So stale
 * slots between live ones do not confuse the walk. Functions that wait at
 * trampolines (hot/trampoline.h) have their link there instead.
 *
 * A function that was entered by a tail call shares its slot with the functions that
 * have jumped to it. Each has a link of its own, innermost first.
 *
 * Reads the calling thread's shadow only. Safe in signal handlers.
 */
#ifndef CLEW_STACK_WALK_H
#define CLEW_STACK_WALK_H

#include <stdint.h>

#include "preload/hot/shadow.h"
#include "preload/stack/walk_slots.h"

/* A function waits in a slot that is not farther out than this, mostly. */
#define WALK_FRAME_BYTES 65536

/*
 * Where a Java method is that tells of its calls itself (rt.counts_java): nobody knows,
 * but farther out than all that it has called. Its link has no slot of the stack.
 */
#define WALK_IN_JAVA UINT64_MAX

struct walk {
	uint64_t at;                /* stack slot to go on from */
	uint64_t id;                /* of the function whose slot is next */
	uint32_t scan_left;         /* slots to look at in all */
	uint32_t gap_left;          /* until the next link */
	uint32_t gap_max;           /* between two links; 0: as usual */
	uint64_t mapped_page;       /* of the stack, known to be there */
	uint64_t readable_from;     /* where it began: from there on, */
	uint64_t readable_until;    /* all below this is known to be */
	uint64_t interrupted_until; /* slots where a stub may be half-way */
	uint64_t
		broken_at; /* a caller from where no chain leads out, or ID_ROOT */
	uint64_t interrupted_pc; /* where the latest signal that it met came */
	/* That of the last link's caller, generated code (generated_callers.c) */
	const struct trampoline *generated;
	struct shadow_slot java; /* of the last link, if that is in Java */
	/* The slot of the last link, if others have jumped from there; or NULL. */
	struct shadow_slot *chain;
	uint64_t chain_caller; /* who has called the first of these */
	uint8_t has_begun;
	uint8_t is_folded;   /* the id is that of a "(folded)" */
	uint8_t is_jumped;   /* tail calls may lead to the id (hot/tails.h) */
	uint8_t is_believed; /* nobody has looked whether the last link is live */
	uint8_t is_handler; /* a signal has entered the last link's function */
	uint8_t is_in_clew; /* one has interrupted what clew does for the next one */
	uint8_t is_ahead; /* it only looks whether a link leads on */
};
/* Larger ones are copied by a call, which no warm code may make. */
_Static_assert(sizeof(struct walk) <= 128, "clang");

struct link {
	uint64_t at;                /* stack slot, or WALK_IN_JAVA */
	uint64_t id;                /* of the function whose slot this is */
	struct shadow_slot *shadow; /* not to be changed: trampoline_has() */
	uint32_t function;          /* or WIRE_FOLDED */
	int has_jumped; /* to the function of the link before: both have this slot */
};

/* Start at a stack slot at or below that of the function that runs as id. */
struct walk walk_from(const void *slot, uint64_t id);

/*
 * Know that the stack is there from this slot on, which may be read, if it is the one that
 * the thread began on: no system call asks about its pages then, and words that are no
 * stub's address are passed over quickly.
 */
void walk_trust_own_stack(struct walk *walk, const void *slot);

/*
 * Where recursion is folded: whether any chain at all leads out from there, as none may be
 * where walk_next() has taken a slot that was left behind for a link. To the root, or as
 * far as can be told: *end, the caller's id of the last one's.
 */
int walk_has_any_way(const void *slot, uint64_t id, uint64_t *end);

/* Whether a function with this id is a Java method that has no slot. */
int walk_is_java(uint64_t id);

/*
 * Whether it may be one: that of a virtual thread may have been counted by another carrier,
 * and nobody knows here.
 */
int walk_may_be_java(uint64_t id);

/* Whether no slot leads on from the function with this id (struct hot_border). */
int walk_is_border(uint64_t id);

/*
 * The next running function. Afterwards walk->id is its caller's id. False at
 * the root, and where the chain cannot be followed.
 */
int walk_next(struct walk *walk, struct link *link);

/*
 * Moves the link that walk_next() has just returned to the outermost slot that may be its
 * function's. Code without stubs, such as an unwinder, calls hooked functions at several
 * depths. The slot of a call that has returned may then lie within the frame of one that
 * runs, with the same caller, and walk_next() returns the inner slot. Below a "(folded)" the
 * link stays, since all calls of the recursion have the same caller.
 */
void walk_take_outermost(struct walk *walk, struct link *link);

/*
 * The same where a signal has come meanwhile and its handler has no slot: behind the
 * next frame of one, out from the last link. *pc is where it has interrupted what clew does
 * for this one, or 0; pc may be NULL.
 */
int walk_next_interrupted(struct walk *walk, uint64_t at, struct link *link,
			  uint64_t *pc);

/*
 * Between the slots of two links, the former being further in, a signal may have come whose
 * handler has no slot: where it has interrupted what clew does for the latter, or 0.
 */
uint64_t walk_interrupted_pc(const struct walk *walk, uint64_t at,
			     uint64_t until);

/*
 * The id of the function that runs on the stack outwards of a slot, whoever's
 * stack that is: of the nearest whose stub waits for its return. False if
 * there is none near; *id is untouched then.
 */
int walk_find_running(uint64_t stack, uint64_t *id);

/* The id of a running function with this key that this caller has called. */
uint64_t walk_running_as(uint64_t caller, uint64_t key);

/* Whether it was for want of patience that walk_next() gave up. */
static inline int walk_is_exhausted(const struct walk *walk)
{
	return !walk->scan_left;
}

#endif
