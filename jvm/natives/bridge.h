/* SPDX-License-Identifier: MIT */
/*
 * Bridges, through which Java calls native methods, so that the calls count
 * below their Java callers.
 *
 * The JVM calls the method's bridge instead of its code (agent.c). A bridge
 * finds the caller (java_callers.h), enters that method in the context, calls
 * the native, and leaves the method again:
 *
 *	Java caller --> JVM's wrapper --> bridge --> stub --> native
 *					  id = caller's	      id = native's
 *
 * The stub is the native's own, or its relay (native_relays.h).
 *
 * While the native runs, the slot of the bridge's return address contains the
 * address of a trampoline (hot/trampoline.h), which stores the return address
 * and the former id, as for a frame that is copied. All walks of calls
 * understand trampolines. The bridge itself restores the return address, so the
 * trampoline is never executed, and the return is predicted.
 */
#ifndef CLEW_JVM_NATIVES_BRIDGE_H
#define CLEW_JVM_NATIVES_BRIDGE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/patch/relay.h"

/*
 * The bridge of one native method. Never freed, because a thread may be in it.
 */
struct bridge {
	_Atomic uint64_t
		target; /* called code: the native's code, or its relay */
	_Atomic uint64_t stack_words; /* stack words of the arguments */
	/* The native's code, which the relay calls, or clew's replacement. */
	uint64_t native;
	/*
	 * The trampoline of the latest caller, which is mostly also the next
	 * one.
	 */
	_Atomic uint64_t latest;
	const void *method;         /* the JVM's identifier */
	uint8_t *entry;             /* code of the bridge */
	_Atomic uint32_t is_silent; /* callers are not determined */
	void *original;             /* code that was bound before */
};

/* Local references of a native, and their permitted number; 0: the default. */
struct bridge_locals {
	uint32_t live;
	uint32_t capacity;
};

/*
 * The frame of an active bridge, in the layout of bridge.S. A location in Java
 * is the return address in compiled code, or the address of the interpreted
 * bytecode.
 */
struct bridge_frame {
	struct bridge_locals locals; /* used by jni_references.c */
	uint64_t outer;              /* frame of the thread's outer bridge */
	uint64_t stack;              /* java_stack_hash() */
	uint32_t end;                /* enum java_stack_end */
	uint32_t expected;           /* number to be verified, or 0 */
	uint64_t arguments[6]; /* arguments in general registers, in order */
	struct bridge *bridge;
	/* The thread's former id; also changed by java_border.h. */
	uint64_t caller_id;
	uint64_t return_address;
	uint64_t place;      /* location of the call in Java */
	uint64_t java_frame; /* frame pointer of the native method's frame */
	uint64_t slot;       /* the slot of the return address */
};

_Static_assert(offsetof(struct bridge, target) == 0 &&
		       offsetof(struct bridge, stack_words) == 8 &&
		       offsetof(struct bridge, native) == RELAY_TARGET,
	       "asm");

/* Counts a call that will be recorded without its Java caller. */
void bridge_miss(void);

/*
 * True after clew has detached: a thread that was about to call a bridge then
 * calls the native directly.
 */
extern _Atomic uint32_t bridges_are_closed;

/*
 * True if Java methods may be in the context because they count by themselves.
 */
extern _Atomic uint32_t bridges_are_yielding;

/* ---- For bridge.S ---- */

void jvm_bridge(void);

/*
 * Enters the Java caller of a bridge. A result other than 0 means that the
 * caller is not known yet: bridge.S then calls callers_learn() and
 * bridge_link(). Uses general registers only; a signal may arrive at any time.
 */
int bridge_enter(struct bridge_frame *frame);
void bridge_link(struct bridge_frame *frame, uint32_t number);

#endif
