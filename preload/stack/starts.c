/* SPDX-License-Identifier: MIT */
/* See starts.h. */
#include "preload/stack/starts.h"

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/upcalls.h"
#include "preload/stack/verify.h"
#include "preload/stack/walk.h"

/*
 * Combined with a stored id, so that the note cannot be mistaken for the id of
 * an earlier call.
 */
#define MARK UINT64_C(0x5ca1ab1e0ddba115)

/*
 * Maximum number of bytes of arguments between the stack pointer and uc_link.
 */
#define ARGUMENTS_MAX 2048

uint64_t starts_pc;

void starts_learn(uint64_t pc)
{
	starts_pc = pc;
}

/*
 * Returns whether the ucontext_t with this stack pointer has not begun to run
 * yet: the word at its stack pointer is still the address to which its first
 * function returns.
 */
static int are_due(uint64_t stack, uint64_t link)
{
	uint64_t page = 0, word;

	return starts_pc && !(stack & 7) && link > stack &&
	       link - stack < ARGUMENTS_MAX && walk_read(stack, &page, &word) &&
	       word == starts_pc;
}

/*
 * Stores that the caller of the stack's first function is unknown. Returns
 * false if the shadow cannot be mapped.
 */
static int clear(uint64_t stack)
{
	struct shadow_slot *shadow;

	if (!shadow_of(stack + 8) && hot_map_shadow(stack + 8))
		return 0;
	shadow = shadow_of(stack + 8);
	shadow->return_address = 0;
	shadow->caller_id = 0;
	return 1;
}

static void put(uint64_t stack, uint64_t id)
{
	shadow_of(stack + 8)->caller_id = id ^ MARK;
}

int starts_are_by(uint64_t at, uint64_t id)
{
	const struct shadow_slot *shadow = shadow_of(at + 8);

	return shadow && !shadow->return_address &&
	       shadow->caller_id == (id ^ MARK);
}

int starts_note(uint64_t stack, uint64_t link, uint64_t id)
{
	if (runtime_is_filtered() || !are_due(stack, link))
		return 0;
	if (!rt.verify_period || !clear(stack))
		return 1;
	if (verify_is_right(__builtin_frame_address(0), id))
		put(stack, id);
	return 1;
}
