/* SPDX-License-Identifier: MIT */
/* See trace_depth.h. */
#include "preload/tracing/trace_depth.h"

#include "preload/host/config.h"
#include "preload/hot/count.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/stack/walk.h"
#include "preload/sys/copy_bytes.h"
#include "wire/packet.h"

/* A slot that lies at most this far below a known one is on the same stack. */
#define NEAR_BYTES 4096

/* The distance of a slot that is not in the window. */
#define OUTSIDE 0xffff

/* An element of hot_aside.levels, for the function at a place (layout.h). */
struct depth_entry {
	uint8_t after; /* level of a call after the function's return */
	uint8_t below; /* level of the function's calls */
	/*
	 * Distance of the slot of the function's caller from the window's
	 * beginning, or OUTSIDE. A call at this slot or further out shows that
	 * the caller has gone, by a jump that clew has not seen.
	 */
	uint16_t outer;
};
_Static_assert(sizeof(struct depth_entry) == sizeof(uint32_t), "levels");
_Static_assert(WIRE_PACKET_DEPTH_MAX + 2 <= UINT8_MAX, "levels");

static struct depth_entry *entry_at(uint64_t distance)
{
	return (struct depth_entry *)&hot.aside
		->levels[distance / TRACE_SLOT_BYTES];
}

static uint64_t distance_of(uint64_t slot)
{
	return slot - trace_window_base();
}

/* Returns the entry of a slot, or NULL if the slot is not in the window. */
static struct depth_entry *entry_of(const uint64_t *slot)
{
	return trace_window_has(slot) ? entry_at(distance_of((uintptr_t)slot))
				      : NULL;
}

static void forget_all(void)
{
	fill_zero(hot.aside->levels, sizeof(hot.aside->levels));
}

/* Stores an entry by one instruction. A level that is too large is capped. */
static void put(struct depth_entry *entry, uint32_t after, uint32_t below,
		uint32_t outer)
{
	const uint32_t max = rt.config->trace_depth;
	const struct depth_entry made = {
		.after = (uint8_t)(after > max ? max + 1 : after),
		.below = (uint8_t)(below > max + 1 ? max + 2 : below),
		.outer = (uint16_t)outer,
	};
	uint32_t word;

	__builtin_memcpy(&word, &made, sizeof(word));
	*(volatile uint32_t *)entry = word;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* No call is too deep, and the level of the next call is unknown. */
static void know_nothing(void)
{
	*(volatile uint64_t *)&hot.aside->depth.deep = 0;
	*(volatile uint64_t *)&hot.trace_left = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void use_thunks(void)
{
	hot.aside->depth.max = rt.config->trace_depth;
	hot.trace_call = hot_thunk_depth_call;
	hot.trace_tail = hot_thunk_depth_tail;
}

/* ---- As the stack says ---- */

/* A walk from the slot `at` outwards. */
struct outwards {
	uint64_t at;    /* the slot of the latest function */
	uint64_t first; /* the slot of the caller */
	uint64_t deep;  /* the slot of function number `wanted` */
	uint32_t wanted;
	/* All functions so far are on the same stack, with small frames. */
	uint32_t is_same_stack;
	/* A function's slot is where calls are known to be too deep. */
	uint32_t is_in_deep;
};

static int is_step(uint64_t from, uint64_t to)
{
	if (to - from <= WALK_FRAME_BYTES)
		return 1;
	return to >= from && walk_is_on_own_stack(from) &&
	       walk_is_on_own_stack(to);
}

static void step(void *context, uint32_t at, const struct link *link)
{
	struct outwards *outwards = context;

	if (!at)
		outwards->first = link->at;
	outwards->is_same_stack &= is_step(outwards->at, link->at);
	outwards->at = link->at;
	if (!outwards->is_same_stack)
		return;
	if (at == outwards->wanted)
		outwards->deep = link->at;
	outwards->is_in_deep |= link->at >= hot.aside->depth.low &&
				link->at <= hot.aside->depth.deep;
}

/*
 * Walks from the call at the slot to all functions outside of it. `wanted` is
 * the number of the function whose slot is requested.
 */
static struct surroundings look(const uint64_t *slot, uint32_t wanted,
				struct outwards *outwards)
{
	const struct surroundings_of of = { .minds_signals = 1,
					    .report = step,
					    .context = outwards };

	*outwards = (struct outwards){
		.at = (uintptr_t)slot,
		.is_same_stack = 1,
		.wanted = wanted,
	};
	return surroundings_find(&of, slot);
}

/*
 * If a signal has interrupted the entry or the return of one of the functions,
 * the level is not certain.
 */
static struct call_level look_for_level(const uint64_t *slot)
{
	struct outwards outwards;
	const struct surroundings found =
		look(slot, SURROUNDINGS_NONE, &outwards);
	const uint64_t outer = distance_of(outwards.first);

	return (struct call_level){
		.level = found.count + 1,
		.outer = outer < TRACE_PLACES_BYTES ? (uint32_t)outer : OUTSIDE,
		.is_certain = !found.has_half_way,
	};
}

/* ---- As the table says ---- */

/* Returns the level and the caller of a call that follows the latest event. */
static struct call_level follow(uint64_t slot)
{
	const uint64_t left = *(volatile uint64_t *)&hot.trace_left;
	const uint64_t returned = distance_of(left) - TRACE_SLOT_BYTES;
	struct call_level call = { 0 };

	if (!left)
		return call;
	if (left < TRACE_PLACES_BYTES) {
		call.level = entry_at(left)->below;
		call.outer = (uint32_t)left;
	} else if (returned < trace_window_span()) {
		call.level = entry_at(returned)->after;
		call.outer = entry_at(returned)->outer;
	}
	if (slot >= call.outer)
		call.level = 0;
	return call;
}

/* Returns the level of a tail call. Its caller is that of its slot's owner. */
static struct call_level follow_jump(const struct depth_entry *entry,
				     uint32_t tail_word)
{
	struct call_level call = { .outer = entry->outer };

	if (!entry->after)
		return call;
	call.level = tail_word == TRACE_TAIL_WORD       ? entry->after
		     : tail_word == TRACE_TAIL_OUT_WORD ? entry->after + 1u
							: entry->below;
	return call;
}

static struct call_level look_up(const uint64_t *slot, uint32_t tail_word,
				 enum depth_told told)
{
	const struct depth_entry *entry = entry_of(slot);

	if (!entry)
		return (struct call_level){ 0 };
	if (told == DEPTH_STORED)
		return follow_jump(entry, TRACE_TAIL_WORD);
	if (tail_word)
		return follow_jump(entry, tail_word);
	return follow(distance_of((uintptr_t)slot));
}

struct call_level trace_depth_find(const uint64_t *slot, uint32_t tail_word,
				   enum depth_told told)
{
	struct call_level call;

	if (!hot.trace_limit || told == DEPTH_LOST)
		forget_all();
	call = look_up(slot, tail_word, told);
	call.is_certain = 1;
	return call.level ? call : look_for_level(slot);
}

int trace_depth_is_inside(const uint64_t *slot)
{
	const uint64_t at = (uintptr_t)slot;

	return hot.trace_left <= hot.aside->depth.deep &&
	       at < hot.aside->depth.deep && at >= hot.aside->depth.low;
}

int trace_depth_is_too_deep(const struct call_level *call)
{
	return call->level > rt.config->trace_depth;
}

/* ---- Entries ---- */

/*
 * Stores the levels of the entered function. If its owner is unknown, so is the
 * level after its return.
 */
static void put_levels(struct depth_entry *entry, uint32_t tail_word,
		       const struct call_level *call)
{
	const uint32_t after = tail_word == TRACE_TAIL_BELOW_WORD ? entry->after
			       : tail_word == TRACE_TAIL_OUT_WORD
				       ? call->level - 1
				       : call->level;

	put(entry, after, call->level + 1, call->outer);
}

static uint64_t contexts(void)
{
	return *(volatile uint64_t *)&hot.tally->packets.sequence;
}

void trace_depth_enter(const uint64_t *slot, uint32_t tail_word,
		       const struct call_level *call)
{
	const uint64_t known = contexts();
	struct depth_entry *entry = entry_of(slot);

	know_nothing();
	if (!call->is_certain)
		forget_all();
	if (!call->is_certain || hot.packet.moved || !entry)
		return;
	put_levels(entry, tail_word, call);
	if (contexts() != known) {
		/* A signal handler has moved the window. */
		forget_all();
		return;
	}
	if (call->level == rt.config->trace_depth)
		*(volatile uint64_t *)&hot.aside->depth.deep = (uintptr_t)slot;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)&hot.trace_left = distance_of((uintptr_t)slot);
}

/*
 * Returns the slot of a function that is not too deep itself, but whose calls
 * are, and from which the omitted call at the slot is made: the outermost one,
 * if all functions in between are on the same stack. Otherwise it is the
 * omitted function itself.
 */
static uint64_t find_deep(const uint64_t *slot)
{
	const uint64_t deep = hot.aside->depth.deep, left = hot.trace_left;
	const uint32_t max = rt.config->trace_depth;
	struct outwards outwards;
	struct surroundings found;

	/* The function has been reached by a tail call. */
	if (deep == (uintptr_t)slot && left <= deep)
		return deep;
	found = look(slot, SURROUNDINGS_NONE, &outwards);
	if (deep && left <= deep && outwards.is_in_deep)
		return deep;
	if (found.count >= max && found.count < WIRE_PACKET_FUNCTIONS)
		look(slot, found.count - max, &outwards);
	return outwards.deep ? outwards.deep : (uintptr_t)slot;
}

/*
 * The slots from NEAR_BYTES below the omitted call's up to that of find_deep()
 * are on the same stack. If they are not where the window is, a context is
 * needed before the next word, so that depth.low is right again.
 */
void trace_depth_omit(const uint64_t *slot)
{
	const uint64_t deep = find_deep(slot);
	const int is_same = deep == hot.aside->depth.deep;
	struct depth_entry *entry;
	uint64_t low = (uintptr_t)slot - NEAR_BYTES;

	know_nothing();
	if (hot.packet.moved || !trace_window_has((const uint64_t *)deep))
		trace_window_close();
	else if (low > hot.aside->depth.low)
		low = hot.aside->depth.low;
	hot.packet.moved = 0;
	entry = entry_of(slot);
	if (entry && deep == (uintptr_t)slot)
		put(entry, is_same ? entry->after : 0,
		    is_same ? rt.config->trace_depth + 2 : 0, entry->outer);
	if (hot.packet.settled_from)
		return;
	use_thunks();
	*(volatile uint64_t *)&hot.aside->depth.low = low;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)&hot.aside->depth.deep = deep;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!switch_is_on())
		know_nothing();
}

void trace_depth_skip(const uint64_t *slot)
{
	struct depth_entry *entry;

	if (!hot.aside)
		return;
	know_nothing();
	entry = entry_of(slot);
	if (entry)
		put(entry, 0, 0, 0);
}

void trace_depth_begin(const struct surroundings_of *of,
		       const struct surroundings *found,
		       const struct stack_window *window)
{
	forget_all();
	use_thunks();
	hot.aside->depth.low = window->base;
	for (uint32_t i = 0; !found->has_half_way && i < found->count; i++) {
		const uint32_t level = found->count - i, place = of->places[i];
		const int is_owner = i && of->places[i - 1] == place;
		uint64_t outer = OUTSIDE;
		struct depth_entry *entry;

		if (place >= WIRE_PACKET_PLACES)
			break;
		if (i + 1 < found->count &&
		    of->places[i + 1] < WIRE_PACKET_PLACES)
			outer = of->places[i + 1] * TRACE_SLOT_BYTES;
		entry = entry_at(place * TRACE_SLOT_BYTES);
		put(entry, level, is_owner ? entry->below : level + 1,
		    (uint32_t)outer);
	}
}

int trace_depth_has_omitted(const uint64_t *slot)
{
	const uint64_t at = (uintptr_t)slot;
	const struct depth_entry *entry;
	struct call_level call;

	if (!hot.aside || !hot.tally)
		return 1;
	if (hot.aside->depth.deep && at < hot.aside->depth.deep &&
	    at >= hot.aside->depth.low)
		return 1;
	entry = hot.trace_limit ? entry_of(slot) : NULL;
	if (entry && entry->below)
		return entry->below > rt.config->trace_depth + 1;
	call = look_for_level(slot);
	return !call.is_certain || trace_depth_is_too_deep(&call);
}
