/* SPDX-License-Identifier: MIT */
/* See in_place_calls.h. */
#include "jvm/inplace/in_place_calls.h"

#include "jvm/exact/java_call.h"
#include "machine/address_space.h"
#include "preload/hot/count.h"
#include "preload/hot/record.h"
#include "preload/hot/shadow.h"
#include "preload/hot/switch.h"
#include "preload/hot/thread.h"
#include "wire/id.h"

#define NO_FRAME UINT64_MAX /* an address above all frames */

/*
 * The data of an active call, as the shadow contains it from lower to higher
 * addresses. `slot` looks like the shadow of a slot that a stub has changed, so
 * that walks find the caller's id, although the stack itself contains no
 * address of a stub.
 */
struct compiled_call {
	/* slot of the next outer call of a compiled method, or NO_FRAME */
	uint64_t outer;
	uint32_t serial;
	uint32_t number;
	struct shadow_slot slot;
};

static struct compiled_call *call_at(uint64_t slot)
{
	if (slot < hot_shadow_low || slot >= ADDRESS_END || slot & 7)
		return NULL;
	return (struct compiled_call *)(shadow_of(slot) - 1);
}

/*
 * Removes active calls whose frame is at the address `slot` or below. These
 * calls have ended although no exit was executed, for example by
 * deoptimization. Sets the thread's id to the caller's if it is still that of
 * such a call.
 */
static void leave_ended(uint64_t slot)
{
	uint64_t frame = hot.compiled_frame;

	while (slot >= frame) {
		const struct compiled_call *call = call_at(frame);

		if (!call || call->outer <= frame) {
			frame = NO_FRAME;
			break;
		}
		if (hot.id ==
		    id_push(call->slot.caller_id, id_key(call->number)))
			*(volatile uint64_t *)&hot.id = call->slot.caller_id;
		frame = call->outer;
	}
	hot.compiled_frame = frame;
}

/*
 * Counts a call. As long as the thread is in doubt about its stack, stubs count
 * no call by themselves but call in_place_miss(), and each call ends a part of
 * this doubt.
 */
static void count(const struct compiled_call *call)
{
	const uint64_t caller = call->slot.caller_id;

	switch_doubt_less();
	if (java_call_count(caller, call->number) == COUNT_IS_DUE)
		count_is_drawn(id_push(caller, id_key(call->number)));
}

void in_place_enter(uint64_t slot, uint64_t name)
{
	struct compiled_call *call = call_at(slot);

	if (!call) {
		record_want_of_room();
		return;
	}
	leave_ended(slot);
	*call = (struct compiled_call){
		.outer = hot.compiled_frame,
		.serial = (uint32_t)name,
		.number = (uint32_t)(name >> 32),
		.slot = { *(const uint64_t *)slot, hot.id },
	};
	hot.compiled_frame = slot;
	count(call);
}

void in_place_miss(uint64_t slot)
{
	count(call_at(slot));
}

void in_place_due(void)
{
	count_is_drawn(hot.id);
}
