/* SPDX-License-Identifier: MIT */
/* See bridge.h. */
#include "jvm/natives/bridge.h"

#include <stdatomic.h>

#include "jvm/natives/java_callers.h"
#include "jvm/natives/java_stack.h"
#include "preload/hot/large_table.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/record/numbers.h"
#include "preload/stack/trampolines.h"
#include "wire/id.h"

_Atomic uint32_t bridges_are_closed;
_Atomic uint32_t bridges_are_yielding;
_Atomic uint64_t callers_known[CALLERS_COUNT] LARGE_TABLE;
_Atomic uint64_t *callers_stacks;

/*
 * Returns the location in Java from which the native was called.
 * frame->java_frame is the frame pointer of the JVM's wrapper of the native
 * method, which has called the bridge; the wrapper's return address leads to
 * the caller.
 */
static uint64_t place_of_call(const struct bridge_frame *frame)
{
	const uint64_t *native = (const uint64_t *)frame->java_frame;
	const uint64_t pc = native[1];

	return java_code_has(&java_interpreter, pc)
		       ? ((const uint64_t *)native[0])[java_bytecode_words]
		       : pc;
}

void bridge_miss(void)
{
	atomic_fetch_add_explicit(&rt.header->callerless_natives, 1,
				  memory_order_relaxed);
}

static int is_for(const struct trampoline *one, const struct shadow_slot *slot,
		  uint64_t id)
{
	return one && one->id == id && one->slot.caller_id == slot->caller_id &&
	       one->slot.return_address == slot->return_address;
}

/*
 * Stores the trampoline in the slot before it sets the thread's id, so that a
 * walk always finds the link that belongs to the id.
 */
void bridge_link(struct bridge_frame *frame, uint32_t number)
{
	const struct shadow_slot slot = {
		.return_address = frame->return_address,
		.caller_id = frame->caller_id,
	};
	uint64_t id, word;

	if (number == CALLERS_NOBODY)
		return;
	id = id_push(frame->caller_id, id_key(number));
	word = atomic_load_explicit(&frame->bridge->latest,
				    memory_order_relaxed);
	if (!is_for(trampoline_at(word), &slot, id)) {
		word = trampoline_for(&slot, id);
		if (!word) {
			bridge_miss();
			return;
		}
		atomic_store_explicit(&frame->bridge->latest, word,
				      memory_order_relaxed);
	}
	*(volatile uint64_t *)&frame->slot = word;
	*(volatile uint64_t *)&hot.id = id;
}

/*
 * Returns the cached number of the whole Java stack or, if the stack cannot be
 * walked, that for the location of the call; 0 if the cache has none, or each
 * call needs a request to the JVM (JAVA_STACK_FROZEN). CALLERS_NOBODY if no
 * Java method has called.
 */
static uint32_t find_callers(struct bridge_frame *frame)
{
	frame->place = place_of_call(frame);
	frame->stack = java_stack_hash(frame, &frame->end);
	if (frame->stack)
		return callers_find_stack(frame->stack);
	if (frame->end == JAVA_STACK_FROZEN) {
		if (callers_may_ask_frozen())
			return 0;
		atomic_fetch_add_explicit(&rt.header->frozen_natives, 1,
					  memory_order_relaxed);
		frame->end = JAVA_STACK_LOST;
	}
	return callers_find(frame->place);
}

/*
 * Returns whether the thread's context ends with a Java method, so that the
 * calling method has counted itself and the bridge must not enter it again.
 */
static int has_counted_itself(void)
{
	return atomic_load_explicit(&bridges_are_yielding,
				    memory_order_relaxed) &&
	       hot.tally && hot.id != ID_ROOT &&
	       numbers_are_java(tally_note(hot.tally, hot.id).function);
}

int bridge_enter(struct bridge_frame *frame)
{
	uint32_t number;

	frame->caller_id = hot.id;
	frame->return_address = frame->slot;
	frame->outer = hot.java_top;
	frame->locals = (struct bridge_locals){ 0 };
	frame->expected = 0;
	*(volatile uint64_t *)&hot.java_top = (uintptr_t)frame;
	if (!java_code_has(&java_code, frame->slot) ||
	    frame->bridge->is_silent || has_counted_itself())
		return 0;
	number = find_callers(frame);
	if (!number)
		return 1;
	if (!hot.stacks_left--) {
		frame->expected = number;
		return 1;
	}
	bridge_link(frame, number);
	return 0;
}
