/* SPDX-License-Identifier: MIT */
/*
 * Bridges, through which Java calls native methods, so that the calls count
 * below their Java callers.
 *
 * The JVM calls the method's bridge instead of its code (agent.c). A bridge
 * finds the Java caller (java_callers.h), sets the thread's id to the caller's
 * context, calls the native, and restores the id:
 *
 *	Java caller --> JVM's wrapper --> bridge --> stub --> native
 *					  id = caller's	      id = native's
 *
 * The stub is the native's own, or its relay (native_relays.h).
 *
 * While the native runs with its caller's id, the slot of the bridge's return
 * address contains the address of a trampoline (hot/trampoline.h), which stores
 * the return address and the former id. All walks of calls understand
 * trampolines. The bridge itself restores the return address before it returns,
 * so that the return does not execute the trampoline and is predicted.
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
	/* Address that the bridge calls: the native's code, or its relay. */
	_Atomic uint64_t target;
	/* number of words of the arguments that are passed on the stack */
	_Atomic uint64_t stack_words;
	/*
	 * Address of the native's code, which the relay calls. If clew replaces
	 * the code (class_changes.h), the address of the replacement.
	 */
	uint64_t native;
	/*
	 * The trampoline of the latest caller, because the next call mostly has
	 * the same caller.
	 */
	_Atomic uint64_t latest;
	const void *method; /* the JVM's identifier of the method */
	uint8_t *entry;     /* code of the bridge */
	/* whether the bridge does not determine callers */
	_Atomic uint32_t is_silent;
	/* The code to which the JVM had bound the native before the bridge. */
	void *original;
};

/*
 * The number of local references that a call of a native holds, and the number
 * that the call may hold. A capacity of 0 stands for the default of JNI.
 */
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
	/*
	 * address of the frame of the thread's next outer active bridge, or 0
	 */
	uint64_t outer;
	uint64_t stack; /* hash of the Java stack (java_stack_hash()), or 0 */
	uint32_t end;   /* enum java_stack_end */
	/* the cached number, if this call verifies it; otherwise 0 */
	uint32_t expected;
	uint64_t arguments[6]; /* arguments in general registers, in order */
	struct bridge *bridge;
	/* The thread's id before the call; java_border.h may change it. */
	uint64_t caller_id;
	uint64_t return_address;
	uint64_t place;      /* location of the call in Java */
	uint64_t java_frame; /* frame pointer of the native method's frame */
	uint64_t slot;       /* the slot of the return address on the stack */
};

_Static_assert(offsetof(struct bridge, target) == 0 &&
		       offsetof(struct bridge, stack_words) == 8 &&
		       offsetof(struct bridge, native) == RELAY_TARGET,
	       "asm");

/* Counts a call that will be recorded without its Java caller. */
void bridge_miss(void);

/*
 * 1 while clew is detached: a thread that enters a bridge then calls the native
 * without determining its caller. 0 otherwise.
 */
extern _Atomic uint32_t bridges_are_closed;

/*
 * 1 if Java methods count by themselves, so that they may be in the thread's
 * context already. 0 otherwise.
 */
extern _Atomic uint32_t bridges_are_yielding;

/* ---- For bridge.S ---- */

void jvm_bridge(void);

/*
 * Begins a call through a bridge: sets the thread's id to the context of the
 * Java caller. If the result is not 0, the caller's number is not known yet or
 * has to be verified: bridge.S then gets the number by callers_learn() and
 * passes it to bridge_link(), which sets the id. The id stays unchanged if the
 * bridge does not determine the caller, if no Java method has called, or if
 * there is no memory for a trampoline. Uses general registers only; a signal
 * may arrive at any time.
 */
int bridge_enter(struct bridge_frame *frame);
void bridge_link(struct bridge_frame *frame, uint32_t number);

#endif
