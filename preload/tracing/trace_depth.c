/* SPDX-License-Identifier: MIT */
/* See trace_depth.h. */
#include "preload/tracing/trace_depth.h"

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/tally.h"
#include "preload/hot/thread.h"
#include "preload/stack/walk.h"
#include "preload/sys/sys.h"
#include "preload/tracing/surroundings.h"
#include "wire/packet.h"

/*
 * largest distance to the slot of the latest call on the same stack, in bytes
 */
#define NEAR_BYTES 4096

/* The slots of the outermost running functions. */
struct depth_slots {
	/* The slot of depth d is of[d - 1]. */
	uint64_t of[WIRE_PACKET_DEPTH_MAX];
	/*
	 * The slots of the latest search, innermost first. The index is taken
	 * modulo the array's size.
	 */
	uint64_t found[WIRE_PACKET_DEPTH_MAX];
	/*
	 * Number of searches that have begun. A signal handler may search
	 * during a search.
	 */
	uint32_t looks;
};

/*
 * Returns the thread's own slots, created on first use, or NULL. A handler may
 * create them meanwhile.
 */
static struct depth_slots *slots_of(struct tally *tally)
{
	struct depth_slots *made = tally->packets.depths, *none = NULL;

	if (made || runtime_is_filtered())
		return made;
	made = sys_map_private(sizeof(*made));
	if (sys_failed(made))
		return NULL;
	if (__atomic_compare_exchange_n(&tally->packets.depths, &none, made, 0,
					__ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return made;
	sys_munmap(made, sizeof(*made));
	return none;
}

void trace_depth_unmap(struct tally *tally)
{
	struct tally_packets *packets = &tally->packets;

	if (packets->depths)
		sys_munmap(packets->depths, sizeof(*packets->depths));
	packets->depths = NULL;
}

/* ---- As the stack says ---- */

static void take_slot(void *context, uint32_t at, const struct link *link)
{
	struct depth_slots *slots = context;

	slots->found[at % WIRE_PACKET_DEPTH_MAX] = link->at;
}

/*
 * Stores the found slots in the order of depth, which is known only when all
 * functions are found.
 */
static void turn_round(struct depth_slots *slots, uint32_t count)
{
	for (uint32_t out = 0; out < count && out < WIRE_PACKET_DEPTH_MAX;
	     out++)
		slots->of[out] =
			slots->found[(count - 1 - out) % WIRE_PACKET_DEPTH_MAX];
}

static struct surroundings inspect_once(const uint64_t *slot,
					struct depth_slots *slots)
{
	const struct surroundings_of of = {
		.minds_signals = 1,
		.report = slots ? take_slot : NULL,
		.context = slots,
	};
	const struct surroundings found = surroundings_find(&of, slot);

	if (slots)
		turn_round(slots, found.count);
	return found;
}

/*
 * Returns the depth of the call at the slot: the number of running functions
 * outside of it. If a signal has interrupted the entry or the return of one of
 * the functions, the result is not certain, and the next call searches again.
 */
static uint32_t look(const uint64_t *slot, struct depth_slots *slots,
		     struct hot_depth *known)
{
	struct surroundings found;
	uint32_t looks = 0;

	known->is_known = 0;
	do {
		if (slots)
			looks = ++*(volatile uint32_t *)&slots->looks;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		found = inspect_once(slot, slots);
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (slots && looks != *(volatile uint32_t *)&slots->looks);
	known->is_known = slots && found.count < WIRE_PACKET_FUNCTIONS &&
			  !found.has_half_way;
	return found.count;
}

/* ---- As slots say ---- */

static int is_near(const struct hot_depth *known, const uint64_t *slot)
{
	return known->slot - (uintptr_t)slot + NEAR_BYTES < 2 * NEAR_BYTES;
}

/*
 * Returns how many of `count` running functions remain active when another
 * function is entered at the slot: the functions further out, and those that
 * have jumped to the entered function.
 */
static uint32_t stay(const struct depth_slots *slots, uint32_t count,
		     uint64_t at, uint32_t tail_word)
{
	const uint64_t left = *(volatile uint64_t *)&hot.trace_left;

	while (count &&
	       (slots->of[count - 1] < at || slots->of[count - 1] < left))
		count--;
	while (tail_word != TRACE_TAIL_BELOW_WORD && count &&
	       slots->of[count - 1] == at &&
	       (tail_word != TRACE_TAIL_OUT_WORD ||
		(count > 1 && slots->of[count - 2] == at)))
		count--;
	return count;
}

/*
 * Returns the depth of the call at the slot, and stores the slot. The slot is
 * stored before it is counted, and checked afterwards, because a signal handler
 * in between may have overwritten it.
 */
static uint32_t note(const uint64_t *slot, struct depth_slots *slots,
		     struct hot_depth *known, uint32_t tail_word)
{
	const uint64_t at = (uintptr_t)slot;
	volatile uint64_t *place;
	uint32_t around;

	do {
		if (slots && known->is_known && !hot.packet.moved &&
		    is_near(known, slot))
			around =
				stay(slots, *(volatile uint32_t *)&known->count,
				     at, tail_word);
		else
			around = look(slot, slots, known);
		*(volatile uint64_t *)&known->slot = at;
		if (!slots || around >= WIRE_PACKET_DEPTH_MAX) {
			*(volatile uint32_t *)&known->count =
				around < WIRE_PACKET_DEPTH_MAX
					? around
					: WIRE_PACKET_DEPTH_MAX;
			return around;
		}
		place = &slots->of[around];
		*place = at;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
		*(volatile uint32_t *)&known->count = around + 1;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (*place != at);
	return around;
}

int trace_depth_leaves_out(const uint64_t *slot, uint32_t tail_word)
{
	struct hot_depth *known;

	if (!hot.aside || !hot.tally)
		return 0;
	known = &hot.aside->depth;
	if (note(slot, slots_of(hot.tally), known, tail_word) <
	    rt.config->trace_depth) {
		hot.packet.moved |= known->owes_context;
		known->owes_context = 0;
		return 0;
	}
	known->owes_context |= hot.packet.moved;
	hot.packet.moved = 0;
	return 1;
}

int trace_depth_has_left_out(const uint64_t *slot)
{
	const struct hot_depth *known = hot.aside ? &hot.aside->depth : NULL;
	const struct depth_slots *slots =
		hot.tally ? hot.tally->packets.depths : NULL;
	uint32_t depth;

	if (!known || !slots || !known->is_known)
		return 1;
	for (depth = known->count; depth; depth--)
		if (slots->of[depth - 1] >= (uintptr_t)slot)
			break;
	return !depth || slots->of[depth - 1] != (uintptr_t)slot ||
	       depth > rt.config->trace_depth;
}
