/* SPDX-License-Identifier: MIT */
/*
 * The sink that writes down each call (wire/packet.h). Its stubs write the words of
 * calls (stub_traced.inc); here is what they find no place for:
 *
 *	limit 0		the thread has no packet yet, is switched off, or its
 *			stack is no longer what its calls say: trace_moved
 *	the next stamp	a time stamp is due
 *	the end		the packet is full
 *
 * In the thread's block trace_next is where the next word goes, and trace_limit
 * where a stub must not write. A word is claimed by adding to trace_next, whoever
 * does so: so handlers, which come anywhere in here as well, claim others, and
 * each word is written by who claimed it. What a stub has claimed in vain it gives
 * back, unless a handler has claimed more; then a hole remains.
 *
 * trace_level is how deep the thread is, modulo 256, in its highest byte. Stubs add
 * and take away one; it is never set right: where nobody knows how it stands to the
 * stack, the next context says so, and so it is whenever trace_moved is not 0.
 */
#include <stdatomic.h>
#include <stddef.h>

#include "preload/host/config.h"
#include "preload/hot/count.h"
#include "preload/hot/record.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/switch.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/time/call_values.h"
#include "preload/time/packet_words.h"
#include "preload/time/samples.h"
#include "preload/time/surroundings.h"
#include "preload/time/trace_depth.h"
#include "preload/time/trace_pace.h"
#include "wire/id.h"

_Static_assert(TRACE_LEVEL == 1 << WIRE_PACKET_LEVEL_SHIFT, "stubs");
_Static_assert(TRACE_TAIL_WORD == (WIRE_PACKET_TAIL << WIRE_PACKET_LEVEL_SHIFT |
				   WIRE_PACKET_ODD | WIRE_PACKET_TAIL_WORDS),
	       "stubs");
_Static_assert(TRACE_SITE_WORD == (WIRE_PACKET_SITE << WIRE_PACKET_LEVEL_SHIFT |
				   WIRE_PACKET_ODD | WIRE_PACKET_SITE_WORDS),
	       "stubs");

#define CALL_BYTES    4
#define TAIL_BYTES    (4 * WIRE_PACKET_TAIL_WORDS)
#define STAMP_BYTES   (4 * WIRE_PACKET_STAMP_WORDS)
#define MOMENT_BYTES  (4 * WIRE_PACKET_MOMENT_WORDS)
#define RETURN_BYTES  (4 * WIRE_PACKET_RETURN_WORDS)
#define CONTEXT_BYTES (4 * WIRE_PACKET_BEGIN_WORDS(WIRE_PACKET_FUNCTIONS))
#define SITES_BYTES   (4 * WIRE_PACKET_SITES_WORDS(WIRE_PACKET_FUNCTIONS))
#define SPARE_BYTES   64
#define ATTEMPT_EVERY 4096

/* ---- Sizes ---- */

/* What a call has beside its words. */
static uint32_t site_words(void)
{
	return rt.config->keeps_sites ? WIRE_PACKET_SITE_WORDS : 0;
}

static uint64_t call_bytes(int is_tail)
{
	return (is_tail ? TAIL_BYTES : CALL_BYTES) + 4 * site_words();
}

/* At most. */
static uint64_t context_bytes(void)
{
	return CONTEXT_BYTES + (rt.config->keeps_sites ? SITES_BYTES : 0);
}

/* ---- Places ---- */

/*
 * Stubs write up to there. A handler may come in between and switch the thread, or
 * land: its word is the last.
 */
static void set_limit(uint64_t limit)
{
	volatile struct hot_thread *const thread = &hot;

	thread->trace_limit = rt.config->trace_depth ? 0 : limit;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!switch_is_on() || thread->trace_moved)
		thread->trace_limit = 0;
}

/*
 * A stub below the limit may write two words, and a site; a probe, what it keeps. One
 * that a handler has interrupted may take the next packet's limit for its own.
 */
static uint64_t last_limit(void)
{
	return hot.packet.end - SPARE_BYTES - call_values_room();
}

/* Of so many calls the last one has none of the words below the limit. */
static void plan_stamp(void)
{
	const uint64_t every = hot.aside->stamps.every;
	const uint64_t next = hot.trace_next + call_bytes(0) * (every - 1);

	hot.packet.limit = every && next < last_limit() ? next : last_limit();
}

/* ---- What is no call ---- */

/* Its second and third word at once, so that there is no half of it. */
static void put_tsc(uint32_t *words, uint64_t tsc)
{
	__builtin_memcpy(words, &tsc, sizeof(tsc));
}

static void put_stamp(void)
{
	uint32_t *words = (uint32_t *)packet_claim(STAMP_BYTES);
	const uint64_t tsc = stamp_counter();

	if (!words)
		return;
	words[0] = wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS);
	put_tsc(words + 1, tsc);
	trace_pace_step(tsc);
	plan_stamp();
}

/* Whether what is said now of the thread's stack is understood. */
static int is_in_step(void)
{
	return switch_is_on() && hot.packet.end && !hot.trace_moved;
}

/* Where the packet has no room the next one begins with the time, too. */
static void put_moment(void)
{
	uint32_t *words =
		is_in_step() ? (uint32_t *)packet_claim(MOMENT_BYTES) : NULL;

	if (!words)
		return;
	words[0] =
		wire_packet_odd(WIRE_PACKET_MOMENT, WIRE_PACKET_MOMENT_WORDS);
	put_tsc(words + 1, stamp_counter());
}

/*
 * Whether nothing has come behind the call that returns, and its stamp, and that is too
 * near: their words are taken back. What a handler writes meanwhile stays behind a hole.
 */
static int take_back(uint64_t tsc)
{
	const uint32_t stamp =
		wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS);
	uint32_t *end = (uint32_t *)hot.trace_next;
	uint32_t *call = end - WIRE_PACKET_STAMP_WORDS - site_words() - 1;
	uint64_t begun;

	/* The packet is full, and more than it has was asked for. */
	if ((uintptr_t)end > hot.packet.end)
		return 0;
	if (end[-3] != stamp ||
	    (rt.config->keeps_sites && call[1] != TRACE_SITE_WORD) ||
	    (*call ^ hot.trace_level) >> WIRE_PACKET_LEVEL_SHIFT ||
	    (*call & WIRE_PACKET_INDEX) >= WIRE_PACKET_ODD ||
	    call[-1] == TRACE_TAIL_WORD)
		return 0;
	__builtin_memcpy(&begun, end - 2, sizeof(begun));
	if (tsc - begun >= rt.recorder->trace.least_ticks)
		return 0;
	*call = 0;
	put_tsc(end - 2, 0); /* a stamp of 0 is none, its halves are no calls */
	end[-3] = 0;
	if (rt.config->keeps_sites) {
		put_tsc(call + 2, 0); /* likewise */
		call[1] = 0;
	}
	packet_give_back((uintptr_t)call, call_bytes(0) + STAMP_BYTES, 0);
	atomic_fetch_add_explicit(&rt.recorder->trace.blocks->taken_back, 1,
				  memory_order_relaxed);
	plan_stamp();
	set_limit(hot.packet.limit);
	return 1;
}

/* Of the call that the thread's level is of. Likewise. */
static void put_return(uint64_t tsc)
{
	uint32_t *words;

	if (!is_in_step() || (rt.recorder->trace.least_ticks && take_back(tsc)))
		return;
	words = (uint32_t *)packet_claim(RETURN_BYTES);

	if (!words)
		return;
	words[0] =
		wire_packet_odd(WIRE_PACKET_RETURN, WIRE_PACKET_RETURN_WORDS);
	words[1] = hot.trace_level >> WIRE_PACKET_LEVEL_SHIFT;
	put_tsc(words + 2, tsc);
}

/*
 * Whether the innermost has stepped the id and not yet the level, or taken back the
 * level and not yet the id: a handler has interrupted its stub, and calls. What
 * depth a level stands for is known from the context before, unless the stack is
 * another one since (`why`, what was in trace_moved).
 */
static int is_out_of_step(const struct surroundings *found, uint8_t level,
			  uint32_t why)
{
	const uint8_t over =
		(uint8_t)(found->count - (uint8_t)(hot.packet.base + level));

	if (!hot.packet.has_base || !found->is_whole || !found->count)
		return 0;
	if (why && why != TRACE_LEVEL_AGAIN && !found->is_handler)
		return 0;
	return over == 1 || (why == TRACE_LEVEL_AGAIN && over == 129);
}

static void put_pair(uint32_t *words, uint64_t value)
{
	words[0] = (uint32_t)value;
	words[1] = (uint32_t)(value >> 32);
}

/*
 * From farther behind, where there may be those of one more; returns where they end. Behind
 * that all is 0 again.
 */
static uint32_t *put_sites(uint32_t *at, uint32_t *sites, uint32_t count)
{
	const uint32_t words = WIRE_PACKET_SITES_WORDS(count);
	uint32_t *behind = sites + 2 * (count + 1);

	*at = wire_packet_odd(WIRE_PACKET_SITES, words);
	for (uint32_t i = 0; i < 2 * count; i++)
		at[1 + i] = sites[i];
	while (behind > at + words)
		*--behind = 0;
	return at + words;
}

/*
 * The context of the function that is called at a slot, before its call. Until it
 * is whole its length is that of the longest, so that nobody takes what is in it
 * for calls. 0: there is no room in the packet.
 */
static int put_context(const uint64_t *slot, enum wire_packet_cause cause)
{
	const uint64_t claimed = context_bytes();
	struct wire_packet_begin *begin = (void *)packet_claim(claimed);
	const struct surroundings_of of = {
		.functions = (uint32_t *)(begin + 1),
		.sites = rt.config->keeps_sites
				 ? (uint32_t *)begin + CONTEXT_BYTES / 4 + 1
				 : NULL,
	};
	struct tally *tally = hot.tally;
	const uint32_t why = cause == WIRE_PACKET_FULL ? 0 : hot.trace_moved;
	struct surroundings found;
	uint32_t *end;
	int is_out;

	if (!begin)
		return 0;
	begin->head =
		wire_packet_odd(WIRE_PACKET_BEGIN, (uint32_t)(claimed / 4));
	hot.trace_moved = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	begin->level =
		(uint8_t)((hot.trace_level >> WIRE_PACKET_LEVEL_SHIFT) - 1);
	begin->cause = (uint8_t)cause;
	begin->tid = tally->tid;
	put_pair(begin->sequence, ++tally->packets.sequence);
	found = surroundings_find(&of, slot);
	is_out = is_out_of_step(&found, begin->level, why);
	if (is_out)
		surroundings_leave_out_innermost(&found, &of);
	hot.packet.base = (uint8_t)(found.count - begin->level);
	hot.packet.has_base = found.is_whole;
	put_pair(begin->id, found.id);
	begin->functions = found.count;
	of.functions[found.count] = WIRE_PACKET_BEGIN_END;
	end = of.functions + found.count + 1;
	if (of.sites)
		end = put_sites(end, of.sites, found.count);
	hot.aside->stamps.tsc = stamp_counter();
	put_tsc(begin->tsc, hot.aside->stamps.tsc);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	begin->head = wire_packet_odd(WIRE_PACKET_BEGIN,
				      WIRE_PACKET_BEGIN_WORDS(found.count));
	packet_give_back((uintptr_t)begin, claimed,
			 (uintptr_t)end - (uintptr_t)begin);
	call_values_put_around(slot, begin->level, (uint32_t)is_out);
	plan_stamp();
	return 1;
}

/* ---- The next packet ---- */

/* The rest of the one that a thread before this one has left, or a new one. */
static int take_packet(void)
{
	uint64_t end = 0;
	uint32_t *words = NULL;

	if (!hot.packet.end)
		words = trace_resume(hot.tally, &end);
	if (!words || end - (uintptr_t)words < context_bytes() + STAMP_BYTES) {
		words = trace_take(&rt.recorder->trace, hot.tally);
		end = (uintptr_t)words + WIRE_PACKET_BYTES -
		      sizeof(struct wire_chunk);
	}
	if (!words)
		return 0;
	/* Whoever claims in between gets nothing, and stubs nothing at all. */
	hot.trace_moved = 1;
	hot.trace_limit = hot.packet.limit = hot.packet.end = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!hot.aside->stamps.tsc)
		hot.aside->stamps.every = rt.config->stamp_every;
	hot.trace_next = (uintptr_t)words;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hot.packet.end = end;
	return 1;
}

/* Behind a filter a handler may come in, whose calls are lost until it is done. */
static int turn(void)
{
	uint64_t signals;
	int is_there;

	if (hot.packet.is_turning ||
	    (hot.packet.attempts_left && hot.packet.attempts_left--))
		return 0;
	hot.packet.is_turning = 1;
	sys_block_signals(&signals);
	is_there = hot.tally && take_packet();
	if (is_there) { /* who is killed has told how fast the counter runs */
		samples_note_moment(rt.header);
		trace_pace_learn();
	}
	sys_restore_signals(&signals);
	hot.packet.attempts_left = is_there ? 0 : ATTEMPT_EVERY;
	hot.packet.is_turning = 0;
	return is_there;
}

/* Of so many bytes, and what a probe keeps of the call that they end with. */
static int is_full(uint64_t bytes)
{
	bytes += call_values_room();
	return hot.trace_next + bytes > hot.packet.end;
}

/*
 * A packet in which there is room for the call that is made at a slot, and in
 * which its context is known. A handler that comes in may have made one.
 */
static int prepare(const uint64_t *slot)
{
	enum wire_packet_cause cause = WIRE_PACKET_MOVED;
	uint64_t bytes = call_bytes(1) + context_bytes();

	if (!hot.packet.end)
		cause = WIRE_PACKET_FIRST;
	else if (!hot.trace_moved && is_full(call_bytes(1)))
		cause = WIRE_PACKET_FULL;
	if (hot.trace_moved || cause != WIRE_PACKET_MOVED)
		bytes += call_values_bytes(slot);
	for (int i = 0; i < 3; i++) {
		if (hot.packet.end && !hot.trace_moved &&
		    !is_full(call_bytes(1)))
			return 1;
		if (hot.packet.end && hot.trace_moved && !is_full(bytes) &&
		    put_context(slot, cause))
			return 1;
		if (!turn())
			return 0;
	}
	return 0;
}

/* ---- Calls ---- */

static uint32_t word_of(uint32_t index)
{
	return hot.trace_level | index;
}

static int put_call(const uint64_t *slot, uint32_t index, int is_tail)
{
	uint32_t *words = (uint32_t *)packet_claim(call_bytes(is_tail));

	if (!words)
		return 0;
	if (is_tail)
		*words++ = TRACE_TAIL_WORD;
	*words++ = word_of(index);
	if (!rt.config->keeps_sites)
		return 1;
	words[0] = TRACE_SITE_WORD;
	put_pair(words + 1, shadow_of((uintptr_t)slot)->return_address);
	return 1;
}

/* A landing is over when a call is made so far out. */
static void settle(const uint64_t *slot)
{
	if (!hot.packet.settled_from)
		return;
	if ((uintptr_t)slot >= hot.packet.settled_from)
		hot.packet.settled_from = 0;
	hot.trace_moved = 1;
}

static void trace(uint64_t *slot, uint32_t index, int is_tail)
{
	const uint64_t id = hot.id;

	if (count_right_id(slot, id, is_tail) != id)
		hot.trace_moved = 1;
	if (!count_is_heard())
		return;
	settle(slot);
	if (rt.config->trace_depth && trace_depth_leaves_out(slot))
		return;
	if (!prepare(slot) || !put_call(slot, index, is_tail)) {
		hot.trace_moved = 1;
		record_loss(WIRE_LOSS_NO_SPACE);
		return;
	}
	if (hot.trace_next > hot.packet.limit)
		put_stamp();
	if (hot.packet.settled_from)
		hot.trace_moved = 1;
	set_limit(hot.packet.limit);
}

void hot_trace(uint64_t *slot, uint64_t word, uint64_t place, int is_tail)
{
	packet_give_back(place, call_bytes(is_tail), 0);
	trace(slot, (uint32_t)(is_tail ? word >> 32 : word) & WIRE_PACKET_INDEX,
	      is_tail);
}

/* On a stack elsewhere, where no stub has done anything. */
static void miss(uint64_t *slot, uint64_t id, int is_tail)
{
	const uint64_t caller = shadow_of((uintptr_t)slot)->caller_id;
	uint32_t function = 0;

	id_key_function(id_key_between(caller, id), &function);
	if (hot.trace_last - (uintptr_t)slot + TRACE_NEAR >= 2 * TRACE_NEAR)
		hot.trace_moved = 1;
	hot.trace_last = (uintptr_t)slot;
	hot.trace_level += TRACE_LEVEL;
	trace(slot, trace_known_index(function), is_tail);
}

static void moved(uint64_t from)
{
	hot.packet.settled_from = from;
	hot.packet.is_turning = 0;
	hot.packet.has_base = 0;
	hot.packet.has_depth = 0;
	hot.trace_moved = 1;
	hot.trace_limit = 0;
}

static void leave(const uint64_t *slot)
{
	(void)slot;
	hot.trace_level -= TRACE_LEVEL;
	if (hot.trace_level)
		return;
	hot.trace_level = TRACE_LEVEL_AGAIN;
	hot.trace_moved = 1;
	hot.trace_limit = 0;
}

static int has_left_out(void)
{
	return rt.config->trace_depth && trace_depth_has_left_out();
}

/* The level first: a handler finds the id in step, or one call deeper. */
void hot_trace_return(uint64_t *slot, uint64_t tsc)
{
	if (!has_left_out())
		put_return(tsc);
	leave(slot);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hot.id = shadow_of((uintptr_t)slot)->caller_id;
}

static void leave_stamped(const uint64_t *slot)
{
	if (!has_left_out())
		put_return(stamp_counter());
	leave(slot);
}

/* ---- The sink ---- */

static void off(void)
{
	hot.trace_limit = 0;
}

static void on(void)
{
	set_limit(hot.packet.limit);
}

/* What it had is the parent's. */
static void forget(void)
{
	hot.packet = (struct hot_packet){ 0 };
	hot.trace_next = 0;
	hot.trace_moved = 1;
	hot.trace_limit = 0;
}

static uint32_t index_of(uint32_t function)
{
	return trace_index(&rt.recorder->trace, function);
}

/* clang-format off */
#define TRACES(template, way_out) \
	.stub = &(template), \
	.carried_at = HOT_CARRIED_TRACED, \
	.reads_clock = 1, \
	.off = off, \
	.on = on, \
	.miss = miss, \
	.leave = (way_out), \
	.moved = moved, \
	.moment = put_moment, \
	.index = index_of, \
	.fork = forget

static const struct sink sink_tracing = { TRACES(hot_stub_traced, leave) };
static const struct sink sink_stamping = { TRACES(hot_stub_stamped, leave_stamped) };
static const struct sink sink_siting = { TRACES(hot_stub_sited, leave) };
static const struct sink sink_doing_both = { TRACES(hot_stub_stamped_sited, leave_stamped) };
/* clang-format on */

const struct sink *sink_of_trace(const struct config *config)
{
	if (config->keeps_sites)
		return config->stamp_returns ? &sink_doing_both : &sink_siting;
	return config->stamp_returns ? &sink_stamping : &sink_tracing;
}
