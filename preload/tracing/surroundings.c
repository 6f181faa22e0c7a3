/* SPDX-License-Identifier: MIT */
/* See surroundings.h. */
#include "preload/tracing/surroundings.h"

#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/thread.h"
#include "preload/hot/trampoline.h"
#include "preload/stack/walk.h"
#include "preload/sys/own_code.h"
#include "preload/tracing/trace_window.h"
#include "wire/id.h"
#include "wire/packet.h"

/*
 * A usual stack size. A slot that lies this near to the end of the thread's
 * stack is probably on that stack.
 */
#define THREAD_STACK_BYTES (UINT64_C(8) << 20)

/* The greatest distance to the next slot on the same stack, in bytes. */
#define FAR_BYTES (UINT64_C(1) << 32)

/*
 * Returns the place of a function: the distance of its slot from the window's
 * base, in slots. `at` functions are further in. A function that is probably on
 * another stack has the place WIRE_PACKET_ELSEWHERE, and so have all functions
 * outside of it.
 */
static uint32_t place_of(const struct surroundings_of *of, uint32_t at,
			 uint64_t slot, unsigned int has_jumped)
{
	const uint32_t inner = at ? of->places[at - 1] : 0;
	const uint32_t place = trace_window_place(of->base, slot);

	if (inner == WIRE_PACKET_ELSEWHERE || slot < of->base ||
	    slot - of->base >= FAR_BYTES || (at && place + has_jumped <= inner))
		return WIRE_PACKET_ELSEWHERE;
	return place;
}

static void report(const struct surroundings_of *of, uint32_t at,
		   const struct link *link)
{
	if (of->report)
		of->report(of->context, at, link);
	if (of->functions)
		of->functions[at] = link->function;
	if (of->places)
		of->places[at] =
			place_of(of, at, link->at, link->has_jumped != 0);
	if (of->sites) {
		const uint64_t site = link->shadow->return_address;

		of->sites[2 * at] = (uint32_t)site;
		of->sites[2 * at + 1] = (uint32_t)(site >> 32);
	}
}

/*
 * Returns whether a pc is in a stub's exit, or in assembly code that the exit
 * calls.
 */
static int is_exit(uint64_t pc)
{
	const uint64_t at = pc % rt.stub_bytes;

	if (runtime_is_stub(pc))
		return (at >= STUB_EXIT_AT && at < rt.exit_until) ||
		       at % STUB_BYTES == rt.exit_elsewhere_at;
	return trampoline_is_pc(pc) || (pc >= (uintptr_t)hot_thunk_carried &&
					pc < (uintptr_t)hot_thunk_probe);
}

/*
 * Returns whether the word is a return address in a stub's thunk, which is
 * called when a function returns and its time is recorded, or when a function
 * is entered whose call has no word in the packet yet (traced.c).
 */
static int is_apart(uint64_t word)
{
	const uint64_t at = word % rt.stub_bytes;

	return runtime_is_stub(word) && !runtime_is_exit(word) &&
	       ((word & 1) || (at > STUB_EXIT_AT && at < rt.exit_until));
}

/*
 * Returns whether a signal has interrupted the return of the link's function,
 * or its entry before the call's word was written. While a thunk of the
 * function's stub runs, the slot contains the thunk's return address.
 */
static int is_detaching(const struct link *link, uint64_t pc)
{
	uint64_t page = 0, word;

	if (is_exit(pc))
		return 1;
	if (own_code_is_library(pc) && hot.aside &&
	    *(volatile uint64_t *)&hot.aside->leaving == link->at)
		return 1;
	return walk_read(link->at, &page, &word) && is_apart(word);
}

/*
 * Finds the function that is next further out. If the chain ends here,
 * continues beyond a signal whose handler has no slot. Also finds out whether a
 * signal has interrupted clew's code for that function: one between both
 * functions only if of->minds_signals is set. Returns 0 if there is no further
 * function.
 */
static int next(struct surroundings *found, const struct surroundings_of *of,
		struct walk *walk, struct link *link)
{
	const uint64_t at = link->at;
	uint64_t pc =
		walk->is_handler && walk->is_in_clew ? walk->interrupted_pc : 0;

	if (!walk_next(walk, link)) {
		if (!walk->has_begun ||
		    !walk_next_interrupted(walk, at, link, &pc))
			return 0;
	} else if (!pc && of->minds_signals) {
		pc = walk_interrupted_pc(walk, at, link->at);
	}
	found->has_half_way |= pc != 0;
	if (link->has_jumped) {
		if (found->leaving + found->leaving_count == found->count)
			found->leaving_count++;
	} else if (pc && found->leaving == SURROUNDINGS_NONE &&
		   is_detaching(link, pc)) {
		found->leaving = found->count;
		found->leaving_count = 1;
	}
	return 1;
}

/*
 * Makes the search short, because each switch of a coroutine makes one. On the
 * stack on which the thread began, the search needs no system calls. On a stack
 * elsewhere it ends at a smaller gap between two functions' slots: the chain of
 * a coroutine usually ends there, because the coroutine's caller is on another
 * stack.
 */
static void be_quick(struct walk *walk, const uint64_t *slot)
{
	const uint64_t left = runtime_own_stack_end() - (uintptr_t)slot;

	if (walk_is_on_own_stack((uintptr_t)slot))
		walk_trust_own_stack(walk, slot);
	else if (left >= THREAD_STACK_BYTES)
		walk->gap_max = WALK_FRAME_BYTES / sizeof(*slot);
}

struct surroundings surroundings_find(const struct surroundings_of *of,
				      const uint64_t *slot)
{
	struct surroundings found = {
		.id = shadow_of((uintptr_t)slot)->caller_id,
		.leaving = SURROUNDINGS_NONE,
	};
	struct walk walk = walk_from(slot, hot.id);
	struct link link = { .at = (uintptr_t)slot };
	int is_found;

	/*
	 * The first function of a stack that was created by hand has no return
	 * address.
	 */
	if (!shadow_of((uintptr_t)slot)->return_address) {
		found.around = found.id;
		return found;
	}
	be_quick(&walk, slot);
	is_found = walk_next(&walk, &link);
	if (is_found && walk.chain) {
		/*
		 * This is the id of the function that has jumped to the entered
		 * function.
		 */
		found.id = walk.id;
	} else if (!is_found || walk.id != found.id) {
		walk = walk_from(slot + 1, found.id);
		be_quick(&walk, slot);
	}
	while (found.count < WIRE_PACKET_FUNCTIONS && walk.id != ID_ROOT &&
	       next(&found, of, &walk, &link)) {
		report(of, found.count, &link);
		found.count++;
	}
	found.around = walk.id;
	return found;
}

/* Returns the id without the functions that are left out. */
static uint64_t id_without(const struct surroundings *found,
			   const uint32_t *functions)
{
	uint64_t id = found->id;

	for (uint32_t i = 0; i < found->leaving + found->leaving_count; i++)
		id = id_pop(id, id_key(functions[i]));
	for (uint32_t i = found->leaving; i > 0; i--)
		id = id_push(id, id_key(functions[i - 1]));
	return id;
}

void surroundings_skip(struct surroundings *found,
		       const struct surroundings_of *of)
{
	const uint32_t was = found->count, left = found->leaving_count;

	found->id = id_without(found, of->functions);
	found->count -= left;
	for (uint32_t i = found->leaving; i < was; i++) {
		const int is_end = i >= found->count;

		of->functions[i] = is_end ? 0 : of->functions[i + left];
		of->places[i] = is_end ? 0 : of->places[i + left];
	}
	for (uint32_t i = 2 * found->leaving; of->sites && i < 2 * was; i++)
		of->sites[i] =
			i < 2 * found->count ? of->sites[i + 2 * left] : 0;
}
