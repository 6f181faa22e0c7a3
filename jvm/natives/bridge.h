/* SPDX-License-Identifier: MIT */
/*
 * Bridges: through which Java calls native methods, so that the calls count below
 * their Java callers.
 *
 * The virtual machine is told that a method's code is at its bridge (agent.c). A
 * bridge asks who called (java_callers.h), enters that method in the context, calls the
 * native, and leaves the method again:
 *
 *	Java caller --> machine's wrapper --> bridge --> stub --> native
 *	                                      id = caller's       id = native's
 *
 * The stub is the native's own, or its relay (native_relays.h).
 *
 * While the native runs, its Java caller waits in the slot of the bridge's return
 * address, as a function does whose frame is copied away: at a trampoline
 * (hot/trampoline.h), which holds the return address and the id before. All that
 * walks along calls knows those. The bridge puts the return address back itself,
 * so the trampoline is never executed, and the return is predicted.
 */
#ifndef CLEW_JVM_NATIVES_BRIDGE_H
#define CLEW_JVM_NATIVES_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/patch/relay.h"

/* A native method's. Lives for ever: some thread may be in it. */
struct bridge {
	_Atomic uint64_t
		target; /* what it calls: the native's code, or its relay */
	_Atomic uint64_t stack_words; /* that its arguments take on the stack */
	uint64_t native; /* the native's code, for the relay, or ours for it */
	/* That its latest caller waited at: the next is the same, mostly. */
	_Atomic uint64_t latest;
	const void *method;         /* as the machine names it */
	uint8_t *entry;             /* its own code */
	_Atomic uint32_t is_silent; /* who calls it is not to be asked */
	void *original;             /* what was bound before */
};

/* Local references that a native has, and how many it may have; 0: the usual. */
struct bridge_locals {
	uint32_t live;
	uint32_t capacity;
};

/*
 * What a bridge has on the stack, as bridge.S lays it out. An address of Java's:
 * where the call stands in compiled code, or the interpreted bytecode.
 */
struct bridge_frame {
	struct bridge_locals locals; /* jni_references.c */
	uint64_t outer;    /* the frame of the bridge that the thread was in */
	uint64_t stack;    /* java_stack_hash() */
	uint32_t end;      /* as that says */
	uint32_t expected; /* the number to be verified, or 0 */
	uint64_t arguments[6]; /* those in general registers, in order */
	struct bridge *bridge;
	uint64_t caller_id; /* the thread's id before, or java_border.h */
	uint64_t return_address;
	uint64_t place;      /* of the call in Java */
	uint64_t java_frame; /* frame pointer of the native method's frame */
	uint64_t slot;       /* the return address's own place */
};

_Static_assert(offsetof(struct bridge, target) == 0 &&
		       offsetof(struct bridge, stack_words) == 8 &&
		       offsetof(struct bridge, native) == RELAY_TARGET,
	       "asm");

/* A call will count without its Java caller. */
void bridge_miss(void);

/*
 * Whether clew has left the process: who calls a bridge still, since it was about
 * to, gets to the native itself.
 */
extern _Atomic uint32_t bridges_are_closed;

/* Whether a Java method may be in the context, by its own account. */
extern _Atomic uint32_t bridges_are_yielding;

/* ---- For bridge.S ---- */

void jvm_bridge(void);

/*
 * The thread is in a bridge: enter the Java caller. Not 0: who calls is not known
 * yet, and callers_learn() is to be asked; then bridge_link() follows. General
 * registers only; a signal may come at any time.
 */
int bridge_enter(struct bridge_frame *frame);
void bridge_link(struct bridge_frame *frame, uint32_t number);

#endif
