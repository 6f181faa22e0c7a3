/* SPDX-License-Identifier: MIT */
#include "jvm/bridge.h"

#include <stdatomic.h>

#include "jvm/java_callers.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/stack/trampolines.h"
#include "wire/id.h"

/* In the frame of an interpreted method: the bytecode that it is at. */
#define FRAME_BYTECODE (-0x40 / 8)

_Atomic uint64_t bridge_interpreter_start, bridge_interpreter_end;
_Atomic uint64_t bridge_code_start, bridge_code_end;
_Atomic uint64_t callers_known[CALLERS_COUNT];

static int is_interpreted(uint64_t pc)
{
	return pc < bridge_interpreter_end && pc >= bridge_interpreter_start;
}

static int is_machines(uint64_t pc)
{
	return pc < bridge_code_end && pc >= bridge_code_start;
}

/* Its own frame lies below the native method's; each begins with a saved rbp. */
static uint64_t place_of_call(const struct bridge_frame *frame)
{
	const uint64_t *native = (const uint64_t *)frame->java_frame;
	const uint64_t pc = native[1];

	return is_interpreted(pc)
		       ? ((const uint64_t *)native[0])[FRAME_BYTECODE]
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

/* The trampoline first, so that the id has its link whenever it is looked at. */
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

int bridge_enter(struct bridge_frame *frame)
{
	uint32_t number;

	frame->caller_id = hot.id;
	frame->return_address = frame->slot;
	if (!is_machines(frame->slot))
		return 0;
	frame->place = place_of_call(frame);
	number = callers_find(frame->place);
	if (!number)
		return 1;
	bridge_link(frame, number);
	return 0;
}
