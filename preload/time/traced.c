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
#include "preload/hot/trampoline.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/time/call_values.h"
#include "preload/time/packet_words.h"
#include "preload/time/samples.h"
#include "preload/time/trace_context.h"
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

#define CALL_BYTES     4
#define TAIL_BYTES     (4 * WIRE_PACKET_TAIL_WORDS)
#define STAMP_BYTES    (4 * WIRE_PACKET_STAMP_WORDS)
#define MOMENT_BYTES   (4 * WIRE_PACKET_MOMENT_WORDS)
#define RETURN_BYTES   (4 * WIRE_PACKET_RETURN_WORDS)
#define CALL_BYTES_MAX (TAIL_BYTES + 4 * WIRE_PACKET_SITE_WORDS)
#define SPARE_BYTES    64
#define ATTEMPT_EVERY  4096

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

/* ---- Places ---- */

/*
 * Stubs write up to the packet's limit. A handler may come in between and begin another
 * packet, switch the thread, or land: its word is the last.
 */
static void set_limit(void)
{
	volatile struct hot_thread *const thread = &hot;
	uint64_t limit;

	do {
		limit = thread->packet.limit;
		thread->trace_limit = rt.config->trace_depth ? 0 : limit;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (limit != thread->packet.limit);
	if (!switch_is_on() || thread->trace_moved)
		thread->trace_limit = 0;
}

/* Of so many calls the last one has none of the words below the limit. Likewise. */
static void plan_stamp(void)
{
	volatile struct hot_packet *const packet = &hot.packet;
	const uint64_t every = hot.aside->stamps.every;
	uint64_t end, last, next;

	do {
		end = packet->end;
		/* A stub below the limit writes a call; a probe, what it keeps. */
		last = end - CALL_BYTES_MAX - call_values_room();
		next = hot.trace_next + call_bytes(0) * (every - 1);
		packet->limit = every && next < last ? next : last;
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
	} while (end != packet->end);
}

/* ---- What is no call ---- */

static void put_stamp(void)
{
	uint32_t *words = (uint32_t *)packet_claim(STAMP_BYTES);
	const uint64_t tsc = stamp_counter();

	if (!words)
		return;
	words[0] = wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS);
	packet_put_pair(words + 1, tsc);
	trace_pace_step(tsc);
	plan_stamp();
}

/* Whether what is said now of the thread's stack is understood. */
static int is_in_step(void)
{
	return switch_is_on() && hot.packet.end && !hot.trace_moved;
}

/*
 * For what is said while the thread is at a level, which means something else once a handler
 * has come to level 0, and a context is due (`moved`) or was written. NULL: likewise, or the
 * packet is full.
 */
static uint32_t *claim_at(uint32_t level, uint32_t moved, uint64_t bytes)
{
	const volatile struct hot_thread *const thread = &hot;
	const uint64_t place = packet_claim(bytes);

	if (!place ||
	    (thread->trace_moved == moved && thread->trace_level == level))
		return (uint32_t *)place;
	packet_give_back(place, bytes, 0);
	return NULL;
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
	packet_put_pair(words + 1, stamp_counter());
}

/*
 * Whether nothing has come behind the call that has returned, at that level, and its stamp,
 * and that is too near: their words are taken back. What a handler writes meanwhile stays
 * behind a hole.
 */
static int take_back(uint32_t level, uint64_t tsc)
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
	    (*call ^ level) >> WIRE_PACKET_LEVEL_SHIFT ||
	    (*call & WIRE_PACKET_INDEX) >= WIRE_PACKET_ODD ||
	    call[-1] == TRACE_TAIL_WORD)
		return 0;
	__builtin_memcpy(&begun, end - 2, sizeof(begun));
	if (tsc - begun >= rt.recorder->trace.least_ticks)
		return 0;
	*call = 0;
	packet_put_pair(end - 2,
			0); /* a stamp of 0 is none, its halves are no calls */
	end[-3] = 0;
	if (rt.config->keeps_sites) {
		packet_put_pair(call + 2, 0); /* likewise */
		call[1] = 0;
	}
	packet_give_back((uintptr_t)call, call_bytes(0) + STAMP_BYTES, 0);
	atomic_fetch_add_explicit(&rt.recorder->trace.blocks->taken_back, 1,
				  memory_order_relaxed);
	plan_stamp();
	set_limit();
	return 1;
}

/* Of the call that was at a level which the thread has just left. Likewise. */
static void put_return(uint32_t level, uint64_t tsc)
{
	const int is_last = level == TRACE_LEVEL;
	uint32_t *words;

	if (rt.recorder->trace.least_ticks && take_back(level, tsc))
		return;
	words = claim_at(is_last ? TRACE_LEVEL_AGAIN : level - TRACE_LEVEL,
			 is_last ? TRACE_LEVEL_AGAIN : 0, RETURN_BYTES);
	if (!words)
		return;
	words[0] =
		wire_packet_odd(WIRE_PACKET_RETURN, WIRE_PACKET_RETURN_WORDS);
	words[1] = level >> WIRE_PACKET_LEVEL_SHIFT;
	packet_put_pair(words + 2, tsc);
}

static int put_context(const uint64_t *slot, enum wire_packet_cause cause)
{
	const int is_put = trace_context_put(slot, cause);

	if (is_put)
		plan_stamp();
	return is_put;
}

/* ---- The next packet ---- */

/* The rest of the one that a thread before this one has left, or a new one. */
static int take_packet(void)
{
	uint64_t end = 0;
	uint32_t *words = NULL;

	if (!hot.packet.end)
		words = trace_resume(hot.tally, &end);
	if (!words || end - (uintptr_t)words < trace_context_bytes() +
						       STAMP_BYTES +
						       SPARE_BYTES) {
		words = trace_take(&rt.recorder->trace, hot.tally);
		end = (uintptr_t)words + WIRE_PACKET_BYTES -
		      sizeof(struct wire_chunk);
	}
	if (!words)
		return 0;
	/* Whoever claims in between gets nothing, and stubs nothing at all. */
	hot.trace_moved |= 1;
	hot.trace_limit = hot.packet.limit = hot.packet.end = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!hot.aside->stamps.tsc)
		hot.aside->stamps.every = rt.config->stamp_every;
	hot.trace_next = (uintptr_t)words;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	/* A stub that a handler interrupts may take the next packet's limit for its own. */
	hot.packet.end = end - SPARE_BYTES;
	return 1;
}

static int take_and_note(void)
{
	const int is_there = hot.tally && take_packet();

	if (is_there) { /* who is killed has told how fast the counter runs */
		samples_note_moment(rt.header);
		trace_pace_learn();
	}
	hot.packet.attempts_left = is_there ? 0 : ATTEMPT_EVERY;
	return is_there;
}

/*
 * Signals that come meanwhile are handled once they are let through, with a packet at
 * hand; one that came before may have begun a packet. Behind a filter a handler may come
 * in, whose calls are lost until it is done.
 */
static int turn(void)
{
	const uint64_t end = hot.packet.end;
	uint64_t signals;
	int is_there = 1;

	if (hot.packet.is_turning ||
	    (hot.packet.attempts_left && hot.packet.attempts_left--))
		return 0;
	sys_block_signals(&signals);
	if (hot.packet.end == end) {
		hot.packet.is_turning = 1;
		is_there = take_and_note();
		hot.packet.is_turning = 0;
	}
	sys_restore_signals(&signals);
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
	uint64_t bytes = call_bytes(1) + trace_context_bytes();

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

static int put_call(const uint64_t *slot, uint32_t index, int is_tail)
{
	const uint32_t level = trace_level_now();
	uint32_t *words = claim_at(level, 0, call_bytes(is_tail));

	if (!words)
		return 0;
	if (is_tail)
		*words++ = TRACE_TAIL_WORD;
	*words++ = level | index;
	if (!rt.config->keeps_sites)
		return 1;
	words[0] = TRACE_SITE_WORD;
	packet_put_pair(words + 1, shadow_of((uintptr_t)slot)->return_address);
	return 1;
}

/* A handler that comes in between may use up what was left of the packet. */
static int write_call(const uint64_t *slot, uint32_t index, int is_tail)
{
	for (int i = 0; i < 3; i++) {
		if (!prepare(slot))
			return 0;
		if (put_call(slot, index, is_tail))
			return 1;
	}
	return 0;
}

/* A landing is over when a call is made so far out. */
static void settle(const uint64_t *slot)
{
	if (!hot.packet.settled_from)
		return;
	if ((uintptr_t)slot >= hot.packet.settled_from)
		hot.packet.settled_from = 0;
	hot.trace_moved |= 1;
}

static void trace(uint64_t *slot, uint32_t index, int is_tail)
{
	const uint64_t id = hot.id;

	if (count_right_id(slot, id, is_tail) != id)
		hot.trace_moved |= 1;
	if (!count_is_heard())
		return;
	settle(slot);
	if (rt.config->trace_depth && trace_depth_leaves_out(slot))
		return;
	if (!write_call(slot, index, is_tail)) {
		hot.trace_moved |= 1;
		record_loss(WIRE_LOSS_NO_SPACE);
		return;
	}
	if (hot.trace_next > hot.packet.limit)
		put_stamp();
	if (hot.packet.settled_from)
		hot.trace_moved |= 1;
	set_limit();
}

/*
 * Whether nothing but a stamp is due, for a call of one word: what the stub has claimed is in
 * the packet that the thread is in, and there is room for both.
 */
static int is_stamp_due(uint64_t place, int is_tail)
{
	const uint64_t left = hot.packet.end - place;

	return hot.trace_limit && !is_tail && !rt.config->keeps_sites &&
	       !hot.packet.settled_from && left <= WIRE_PACKET_BYTES &&
	       left >= CALL_BYTES + STAMP_BYTES + call_values_room() &&
	       __atomic_load_n(rt.is_this_process, __ATOMIC_ACQUIRE);
}

void hot_trace(uint64_t *slot, uint64_t word, uint64_t place, int is_tail)
{
	if (is_stamp_due(place, is_tail)) {
		*(uint32_t *)place = (uint32_t)word;
		put_stamp();
		set_limit();
		return;
	}
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
		hot.trace_moved |= 1;
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
	hot.trace_moved |= 1;
	hot.trace_limit = 0;
}

static void leave(const uint64_t *slot)
{
	(void)slot;
	hot.trace_level -= TRACE_LEVEL;
	if (hot.trace_level)
		return;
	hot.trace_level = TRACE_LEVEL_AGAIN;
	hot.trace_moved |= TRACE_LEVEL_AGAIN;
	hot.trace_limit = 0;
}

static int has_left_out(void)
{
	return rt.config->trace_depth && trace_depth_has_left_out();
}

/*
 * The level first: what a handler calls is then called by the caller, by its context in a
 * new packet as by its level in this one. So it is the first to say that the call has
 * returned, and what comes behind it here says nothing new.
 */
void hot_trace_return(const uint64_t *slot, uint64_t tsc)
{
	const uint32_t level = trace_level_now();
	const int is_told = is_in_step() && !has_left_out();

	leave(slot);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (is_told)
		put_return(level, tsc);
}

static void leave_stamped(const uint64_t *slot)
{
	hot_trace_return(slot, stamp_counter());
}

/*
 * Who returns is who is running, and the stack is what the calls say; or else a stack has come
 * back that somebody had copied.
 */
static void carried(const uint64_t *slot, const struct trampoline *one)
{
	if (hot.id != one->id) {
		hot.packet.has_base = 0;
		hot.trace_moved |= 1;
		hot.trace_limit = 0;
	}
	rt.sink->leave(slot);
}

/* ---- The sink ---- */

static void off(void)
{
	hot.trace_limit = 0;
}

static void on(void)
{
	set_limit();
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
	.carried_at = HOT_CARRIED_TOLD, \
	.reads_clock = 1, \
	.off = off, \
	.on = on, \
	.miss = miss, \
	.leave = (way_out), \
	.carried = carried, \
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
