/* SPDX-License-Identifier: MIT */
/*
 * The sink that writes each call into a packet, which is a part of the trace
 * that belongs to one thread (wire/packet.h). A stub writes the word of a
 * call itself (stub_traced.inc), if the word fits below trace_limit and the
 * call's slot is in the window. This file handles the other cases:
 *
 *	The limit is 0: the thread has no packet yet, its recording is
 *	switched off, or its stack no longer agrees with the calls in the
 *	packet (packet.moved).
 *
 *	The call's slot is outside of the window (trace_window.h).
 *
 *	The limit is reached: a time stamp is due, or the packet is full.
 *
 * In struct hot_thread, trace_next is the address of the next word. Stubs,
 * signal handlers and this code claim a word by adding to trace_next. A
 * handler may interrupt at any instruction and then claims other words, so
 * each word is written only by the code that claimed it. A stub's claim that
 * is not used is given back, unless a handler has claimed more words since.
 * The unused word then remains 0, and readers skip it.
 *
 * A word contains the place of a call's slot in the window of the latest
 * context in the packet. Therefore code that has claimed a word checks
 * whether a handler has moved the window meanwhile.
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
#include "preload/hot/tails.h"
#include "preload/hot/trampoline.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/time/samples.h"
#include "preload/tracing/call_values.h"
#include "preload/tracing/packet_words.h"
#include "preload/tracing/trace_context.h"
#include "preload/tracing/trace_depth.h"
#include "preload/tracing/trace_limits.h"
#include "preload/tracing/trace_pace.h"
#include "preload/tracing/trace_times.h"
#include "preload/tracing/trace_window.h"
#include "wire/id.h"

_Static_assert(TRACE_PLACE_SHIFT == WIRE_PACKET_PLACE_SHIFT, "stubs");
#define TAIL_WORD(kind)                                                        \
	((kind) << WIRE_PACKET_PLACE_SHIFT | WIRE_PACKET_ODD |                 \
	 WIRE_PACKET_TAIL_WORDS)
_Static_assert(TRACE_TAIL_WORD == TAIL_WORD(WIRE_PACKET_TAIL), "stubs");
_Static_assert(TRACE_TAIL_BELOW_WORD == TAIL_WORD(WIRE_PACKET_TAIL_BELOW),
	       "stubs");
_Static_assert(TRACE_TAIL_OUT_WORD == TAIL_WORD(WIRE_PACKET_TAIL_OUT), "stubs");
_Static_assert(TRACE_SITE_WORD == (WIRE_PACKET_SITE << WIRE_PACKET_PLACE_SHIFT |
				   WIRE_PACKET_ODD | WIRE_PACKET_SITE_WORDS),
	       "stubs");

#define LEFT_BYTES    (4 * WIRE_PACKET_LEFT_WORDS)
#define SPARE_BYTES   64
#define ATTEMPT_EVERY 4096

static int put_context(const uint64_t *slot, enum wire_packet_cause cause)
{
	const int is_put = trace_context_put(slot, cause);

	if (is_put)
		trace_plan_stamp();
	return is_put;
}

/* ---- The next packet ---- */

/* Takes the unused rest of a packet from an ended thread, or a new packet. */
static int take_packet(void)
{
	uint64_t end = 0;
	uint32_t *words = NULL;

	if (!hot.packet.end)
		words = trace_resume(hot.tally, &end);
	if (!words || end - (uintptr_t)words < trace_context_bytes() +
						       TRACE_STAMP_BYTES +
						       SPARE_BYTES) {
		words = trace_take(&rt.recorder->trace, hot.tally);
		end = (uintptr_t)words + WIRE_PACKET_BYTES -
		      sizeof(struct wire_chunk);
	}
	if (!words)
		return 0;
	/* From here on claims of words fail, and stubs write nothing. */
	hot.packet.moved = 1;
	hot.trace_limit = hot.packet.limit = hot.packet.end = 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!hot.aside->stamps.tsc)
		hot.aside->stamps.every = rt.config->stamp_every;
	hot.trace_next = (uintptr_t)words;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	hot.packet.end = end - SPARE_BYTES;
	return 1;
}

static int take_and_note(void)
{
	const int is_there = hot.tally && take_packet();

	/*
	 * so that the counter's rate is in the recording even if the process is
	 * killed
	 */
	if (is_there) {
		samples_note_moment(rt.header);
		trace_pace_learn();
	}
	hot.packet.attempts_left = is_there ? 0 : ATTEMPT_EVERY;
	return is_there;
}

/*
 * Begins the next packet and writes the context of the call at a slot, because
 * each packet begins with a context. Signals are blocked, because a handler in
 * between might fill the packet first. A handler that ran before may have begun
 * a packet already. Behind a system call filter signals cannot be blocked, and
 * calls of a handler in between are lost. Returns 0 if there is no packet.
 */
static int turn(const uint64_t *slot, enum wire_packet_cause cause)
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
		if (is_there)
			put_context(slot, cause);
	}
	sys_restore_signals(&signals);
	return is_there;
}

/*
 * Ensures that the packet has room for the call at a slot, and that the
 * packet's words lead to the call's context. A signal handler in between may do
 * the same. Returns 0 if there is no room.
 */
static int prepare(const uint64_t *slot)
{
	enum wire_packet_cause cause = WIRE_PACKET_MOVED;
	uint64_t bytes = trace_call_bytes(1) + trace_context_bytes();

	if (!trace_window_has(slot))
		hot.packet.moved = 1;
	if (!hot.packet.end)
		cause = WIRE_PACKET_FIRST;
	else if (!hot.packet.moved && trace_is_full(trace_call_bytes(1)))
		cause = WIRE_PACKET_FULL;
	if (hot.packet.moved || cause != WIRE_PACKET_MOVED)
		bytes += call_values_bytes(slot);
	for (int i = 0; i < 3; i++) {
		if (!trace_window_has(slot))
			hot.packet.moved = 1;
		if (hot.packet.end && !hot.packet.moved &&
		    !trace_is_full(trace_call_bytes(1)))
			return 1;
		if (hot.packet.end && hot.packet.moved &&
		    !trace_is_full(bytes) && put_context(slot, cause))
			return 1;
		if (!turn(slot, cause))
			return 0;
	}
	return 0;
}

/* ---- Calls ---- */

/*
 * Returns whether the function that returned last had its slot further out than
 * this call, so that the call's word does not show that return.
 */
static int has_left(const uint64_t *slot)
{
	return *(const volatile uint64_t *)&hot.trace_left >
	       (uintptr_t)(slot + 1);
}

/*
 * Writes the slot of the function that returned last. Returns 0 if a context is
 * needed instead.
 */
static int put_left(void)
{
	const uint64_t base = trace_window_base();
	const uint64_t left = *(const volatile uint64_t *)&hot.trace_left;
	uint32_t *words;

	if (left < base || left > hot.aside->placed_until) {
		hot.packet.moved = 1;
		return 0;
	}
	words = trace_claim_above(base, LEFT_BYTES);
	if (!words)
		return 0;
	words[0] = wire_packet_odd(WIRE_PACKET_LEFT, WIRE_PACKET_LEFT_WORDS);
	words[1] = trace_window_place(base, left);
	return 1;
}

/* Returns the number of contexts that were written in the thread's tally. */
static uint64_t contexts(void)
{
	const struct tally *tally = *(struct tally *volatile *)&hot.tally;

	return tally ? *(const volatile uint64_t *)&tally->packets.sequence : 0;
}

/*
 * Returns whether a signal handler has written a context since there were
 * `known` contexts, and the call's own context has not followed.
 */
static int has_foreign_context(const uint64_t *slot, uint64_t known)
{
	const volatile struct hot_aside *const aside = hot.aside;

	return contexts() != known && aside->context_slot != (uintptr_t)slot;
}

static int put_call(const uint64_t *slot, uint32_t index, uint32_t tail_word,
		    uint64_t known)
{
	const uint64_t base = trace_window_base();
	uint32_t *words =
		trace_window_has(slot)
			? trace_claim_above(base,
					    trace_call_bytes(tail_word != 0))
			: NULL;

	if (!words)
		return 0;
	if (tail_word == TRACE_TAIL_BELOW_WORD &&
	    has_foreign_context(slot, known)) {
		packet_give_back((uintptr_t)words, trace_call_bytes(1), 0);
		hot.packet.moved = 1;
		return 0;
	}
	if (tail_word)
		*words++ = tail_word;
	*words++ = trace_window_place(base, (uintptr_t)slot)
			   << WIRE_PACKET_PLACE_SHIFT |
		   index;
	if (!rt.config->keeps_sites)
		return 1;
	words[0] = TRACE_SITE_WORD;
	packet_put_pair(words + 1, shadow_of((uintptr_t)slot)->return_address);
	return 1;
}

/*
 * While the thunk runs, the call's slot holds the thunk's return address, which
 * is even. This function stores in its lowest bit whether the call has no word
 * yet, so that the words of signal handlers come first (surroundings.c).
 */
static void set_wordless(uint64_t *slot, int is_wordless)
{
	volatile uint64_t *thunk = slot;

	*thunk = (*thunk & ~UINT64_C(1)) | (uint64_t)is_wordless;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/*
 * Writes the words of a call. A signal handler in between may use up the
 * packet. The call is marked as having its word before the word is written; the
 * calls of a handler in between then count below this call. If the mark came
 * later, a handler that runs after the word would begin a context without the
 * call.
 *
 * A tail call has no such mark: its slot has the exit of another stub. The
 * context of a handler that runs before the word contains the call already, so
 * the call's own context must follow. `known` is the number of the latest
 * context that does not contain the call.
 */
static int write_call(uint64_t *slot, uint32_t index, uint32_t tail_word,
		      int has_thunk, uint64_t known)
{
	for (int i = 0; i < 3; i++) {
		if (!prepare(slot))
			return 0;
		if (has_left(slot) && !put_left())
			continue;
		/*
		 * This store precedes the call's word, so that no signal
		 * handler takes the call for one that has returned.
		 */
		hot.trace_left = 0;
		if (has_thunk)
			set_wordless(slot, 0);
		if (put_call(slot, index, tail_word, known))
			return 1;
		if (has_thunk)
			set_wordless(slot, 1);
	}
	return 0;
}

/*
 * After a longjmp() or an exception the packet may not agree with the stack,
 * until a call is made at the slot `settled_from` or further out.
 */
static void settle(const uint64_t *slot)
{
	if (!hot.packet.settled_from)
		return;
	if ((uintptr_t)slot >= hot.packet.settled_from)
		hot.packet.settled_from = 0;
	hot.packet.moved = 1;
}

/*
 * Writes a call. For a tail call `next` is the address of the next word before
 * the thread got the call's id: a signal handler that has claimed words since
 * may have written a context that contains the call.
 */
static void trace(uint64_t *slot, uint32_t index, uint32_t tail_word,
		  int has_thunk, uint64_t next, enum depth_told told)
{
	const uint64_t id = hot.id, known = contexts();
	const int has_depth = rt.config->trace_depth != 0;
	struct call_level level = { 0 };

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (tail_word && *(const volatile uint64_t *)&hot.trace_next != next)
		hot.packet.moved = 1;
	if (hot.aside)
		hot.aside->leaving = 0;
	if (count_right_id(slot, id, tail_word != 0) != id)
		hot.packet.moved = 1;
	if (!count_is_heard()) {
		if (has_depth)
			trace_depth_skip(slot);
		return;
	}
	settle(slot);
	if (has_depth) {
		if (trace_depth_is_inside(slot))
			return;
		level = trace_depth_find(slot, tail_word, told);
		if (trace_depth_is_too_deep(&level)) {
			trace_depth_omit(slot);
			trace_set_limit();
			return;
		}
		*(volatile uint64_t *)&hot.aside->depth.deep = 0;
	}
	if (!write_call(slot, index, tail_word, has_thunk, known)) {
		if (has_depth)
			trace_depth_skip(slot);
		hot.packet.moved = 1;
		record_want_of_room();
		return;
	}
	hot.trace_left = 0; /* the call runs */
	if (hot.trace_next > hot.packet.limit)
		trace_put_stamp();
	if (hot.packet.settled_from)
		hot.packet.moved = 1;
	if (has_depth)
		trace_depth_enter(slot, tail_word, &level);
	trace_set_limit();
}

/*
 * Returns whether a call of one word only needs a time stamp: the word that the
 * stub has claimed is in the present packet, and there is room for the word and
 * the stamp.
 */
static int is_stamp_due(uint64_t place, int is_tail)
{
	const uint64_t left = hot.packet.end - place;

	return hot.trace_limit && !is_tail && !rt.config->keeps_sites &&
	       !hot.packet.settled_from && left <= WIRE_PACKET_BYTES &&
	       left >= trace_call_bytes(0) + TRACE_STAMP_BYTES +
			       call_values_room() &&
	       __atomic_load_n(rt.is_this_process, __ATOMIC_ACQUIRE);
}

void hot_trace(uint64_t *slot, uint32_t index, uint64_t end, uint32_t tail_word,
	       uint32_t word)
{
	const int is_tail = tail_word != 0, has_words = end && !(end & 1);
	const uint64_t place = has_words ? end - trace_call_bytes(is_tail)
					 : end & ~UINT64_C(1);
	const enum depth_told told = is_tail || !end ? DEPTH_UNKNOWN
				     : has_words     ? DEPTH_STORED
						     : DEPTH_LOST;

	if (has_words && is_stamp_due(place, is_tail)) {
		*(uint32_t *)place = word;
		if (!rt.config->trace_depth) /* the thunk has stored it */
			hot.trace_left = 0;  /* the call runs */
		trace_put_stamp();
		trace_set_limit();
		return;
	}
	if (!is_tail)
		set_wordless(slot, 1);
	if (has_words)
		packet_give_back(place, trace_call_bytes(is_tail), 0);
	trace(slot, index, tail_word, !is_tail, place, told);
	if (!is_tail)
		set_wordless(slot, 0);
}

/*
 * Handles a call on a stack below hot_shadow_low, for which no stub has written
 * a word.
 */
static void miss(uint64_t *slot, uint64_t id, int is_tail)
{
	const uint64_t caller = shadow_of((uintptr_t)slot)->caller_id;
	const uint64_t next = *(volatile uint64_t *)&hot.trace_next;
	const uint32_t function = numbers_function_between(caller, id);

	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*(volatile uint64_t *)&hot.id = id;
	trace(slot, trace_known_index(function), (uint32_t)is_tail, 0, next,
	      DEPTH_UNKNOWN);
}

static void moved(uint64_t from)
{
	hot.packet.settled_from = from;
	hot.packet.is_turning = 0;
	hot.packet.moved = 1;
	trace_stop();
}

static int is_omitted(const uint64_t *slot)
{
	return rt.config->trace_depth && trace_depth_has_omitted(slot);
}

/*
 * Stores that the function returns, for signal handlers that walk the stack
 * meanwhile (surroundings.c).
 */
static void leave(const uint64_t *slot)
{
	if (hot.aside)
		hot.aside->leaving = (uintptr_t)slot;
	*(volatile uint64_t *)&hot.trace_left = (uintptr_t)(slot + 1);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void hot_trace_return(const uint64_t *slot, uint64_t tsc)
{
	leave(slot);
	if (trace_is_in_step() && !is_omitted(slot))
		trace_put_return(slot, tsc);
}

static void leave_stamped(const uint64_t *slot)
{
	hot_trace_return(slot, stamp_counter());
}

/*
 * The returning function must be the running one, or must have jumped to it.
 * Otherwise the program has replaced the stack by a copy.
 */
static void carried(const uint64_t *slot, const struct trampoline *one)
{
	if (!tails_share_slot(one->slot.caller_id, hot.id, one->id)) {
		hot.packet.moved = 1;
		trace_stop();
	}
	rt.sink->leave(slot);
	if (rt.config->trace_depth)
		/* Another call may have used this slot meanwhile. */
		trace_stop();
}

/*
 * Called when the alternate signal stack changes. The window may contain the
 * new stack, so a new context is needed.
 */
static void signal_stack(void)
{
	hot.packet.moved = 1;
	trace_stop();
}

/* ---- The sink ---- */

static void off(void)
{
	trace_stop();
}

static void on(void)
{
	trace_renew_limit();
}

/* The former packet belongs to the parent. */
static void forget(void)
{
	hot.packet = (struct hot_packet){ 0 };
	hot.trace_next = 0;
	hot.packet.moved = 1;
	trace_stop();
}

static uint32_t index_of(uint32_t function)
{
	return trace_index(&rt.recorder->trace, function);
}

/*
 * Returns whether the word of a leaf call is the latest in the packet. Returns
 * 0 if a signal handler has made calls since. If values may follow the word,
 * this cannot be checked, and the result is 1.
 */
static int is_leaf_on_top(const struct tally *tally, uint64_t id,
			  uint32_t function)
{
	const volatile struct hot_thread *thread = tally->hot;
	const uint64_t next = thread->trace_next;

	(void)id;
	if (!thread->trace_limit || thread->trace_left < TRACE_WINDOW_BYTES)
		return 0;
	return rt.recorder->trace.keeps & WIRE_KEEPS_VALUES ||
	       (((const uint32_t *)next)[-1] & WIRE_PACKET_INDEX) ==
		       trace_known_index(function);
}

/* clang-format off */
#define TRACES(template, way_out) \
	.stub = &(template), \
	.carried_at = HOT_CARRIED_REPORTED, \
	.reads_clock = 1, \
	.off = off, \
	.on = on, \
	.miss = miss, \
	.leave = (way_out), \
	.carried = carried, \
	.signal_stack = signal_stack, \
	.moved = moved, \
	.moment = trace_put_moment, \
	.index = index_of, \
	.fork = forget

static const struct sink sink_tracing = { TRACES(hot_stub_traced, leave),
	.leaf_stub = &hot_stub_traced_leaf,
	.is_leaf_on_top = is_leaf_on_top,
};
/*
 * With --trace-depth each call takes a thunk, which expects the frame of other
 * stubs.
 */
static const struct sink sink_limiting = { TRACES(hot_stub_traced, leave) };
static const struct sink sink_stamping = {
	TRACES(hot_stub_stamped, leave_stamped)
};
static const struct sink sink_siting = {
	TRACES(hot_stub_sited, leave)
};
static const struct sink sink_doing_both = {
	TRACES(hot_stub_stamped_sited, leave_stamped)
};
/* clang-format on */

const struct sink *sink_of_trace(const struct config *config)
{
	if (config->keeps_sites)
		return config->stamp_returns ? &sink_doing_both : &sink_siting;
	if (config->stamp_returns)
		return &sink_stamping;
	return config->trace_depth ? &sink_limiting : &sink_tracing;
}
