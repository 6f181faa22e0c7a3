/* SPDX-License-Identifier: MIT */
/* See thread_calls.h. */
#include "report/trace/thread_calls.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "wire/id.h"

size_t trace_tally_stop(const struct trace *trace, size_t first)
{
	size_t stop = first;

	while (stop < trace->count &&
	       trace->packets[stop].tally == trace->packets[first].tally)
		stop++;
	return stop;
}

void thread_calls_init(struct thread_calls *calls, const struct trace *trace,
		       size_t first, size_t stop)
{
	*calls = (struct thread_calls){
		.trace = trace,
		.next = first,
		.stop = stop,
		.to_tsc = UINT64_MAX,
		.is_inside = 1,
	};
	/* Sequences of a tally begin with 1; earlier packets are missing. */
	if (first < stop) {
		calls->sequence = 1;
		calls->tid = calls->next_tid = trace->packets[first].tid;
	}
}

static void free_packet(struct thread_calls *calls)
{
	if (calls->words)
		close(calls->fd);
	free(calls->words);
	free(calls->blocks);
	calls->words = NULL;
	calls->blocks = NULL;
	call_stamps_fini(&calls->stamps);
}

void thread_calls_fini(struct thread_calls *calls)
{
	free_packet(calls);
	free(calls->stack);
	free(calls->ids);
	*calls = (struct thread_calls){ 0 };
}

void thread_calls_seek(struct thread_calls *calls, size_t packet)
{
	if (packet == calls->next)
		return;
	calls->next = packet;
	calls->sequence = 0;
	calls->tid = calls->next_tid = calls->trace->packets[packet].tid;
}

void thread_calls_window(struct thread_calls *calls, uint64_t from_tsc,
			 uint64_t to_tsc)
{
	const struct trace_packet *packets = calls->trace->packets;
	size_t low = calls->next, high = calls->stop;

	calls->from_tsc = from_tsc;
	calls->to_tsc = to_tsc;
	calls->is_inside = 0;
	if (low == high)
		return;
	/* invariant: packets[low] is not after from_tsc */
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (packets[middle].tsc <= from_tsc)
			low = middle;
		else
			high = middle;
	}
	thread_calls_seek(calls, low);
}

/* ---- Packets ---- */

/* Opens the trace's file. Without it, no packet can be read. */
static int open_file(struct thread_calls *calls)
{
	struct packet_blocks *blocks = memory_zeroed(1, sizeof(*blocks));

	calls->fd = trace_reopen(calls->trace, blocks);
	if (calls->fd < 0) {
		free(blocks);
		calls->is_unreadable = 1;
		calls->now = calls->trace->packets[calls->next].tsc;
		calls->next = calls->stop;
		return 0;
	}
	calls->blocks = blocks;
	calls->words = memory_zeroed(PACKET_WORDS_MAX, 4);
	calls->ids =
		memory_zeroed(WIRE_PACKET_FUNCTIONS + 1, sizeof(*calls->ids));
	return 1;
}

/*
 * Loads the next packet. Returns 0 if there is none, or it begins after the
 * window. A packet that was reused meanwhile leaves a gap.
 */
static int load_packet(struct thread_calls *calls)
{
	size_t count = 0;

	while (count == 0) {
		if (calls->next == calls->stop ||
		    calls->trace->packets[calls->next].tsc > calls->to_tsc ||
		    (!calls->words && !open_file(calls)))
			return 0;
		calls->packet = calls->next++;
		count = trace_read(calls->trace, calls->fd,
				   &calls->trace->packets[calls->packet],
				   calls->words);
	}
	call_stamps_read(&calls->stamps, calls->words, count, calls->blocks,
			 calls->next < calls->stop
				 ? &calls->trace->packets[calls->next]
				 : NULL);
	packet_begin(&calls->cursor, calls->words, count, calls->blocks);
	calls->ordinal = 0;
	calls->bad_words = 0;
	return 1;
}

/* ---- Contexts ---- */

static uint64_t id_at(const struct thread_calls *calls, size_t depth)
{
	return depth ? calls->stack[depth - 1].id : calls->base_id;
}

/* Returns a function of a context; 0 is the outermost. */
static uint32_t function_at(const struct packet_context *context, uint32_t at)
{
	return context->functions[context->count - 1 - at];
}

/*
 * Computes the ids of all contexts within the present context, outermost first.
 */
static void find_ids(struct thread_calls *calls)
{
	const struct packet_context *context = &calls->cursor.context;

	calls->ids[context->count] = context->id;
	for (uint32_t i = context->count; i > 0; i--)
		calls->ids[i - 1] = id_pop(calls->ids[i],
					   id_key(function_at(context, i - 1)));
}

/*
 * Returns how many calls of the stack remain active in the context: those up to
 * the callers outside the context, and those that the context also has. *offset
 * becomes the depth of these callers on the stack. If they are not on the
 * stack, returns 0, and *offset is 0.
 */
static size_t find_common(const struct thread_calls *calls, size_t *offset)
{
	const uint32_t count = calls->cursor.context.count;
	size_t base = calls->depth, common;

	while (base > 0 && id_at(calls, base) != calls->ids[0])
		base--;
	*offset = 0;
	if (id_at(calls, base) != calls->ids[0])
		return 0;
	*offset = common = base;
	while (common < calls->depth && common - base < count &&
	       id_at(calls, common + 1) == calls->ids[common - base + 1])
		common++;
	return common;
}

static void tell_gap(struct thread_calls *calls, enum call_gap gap,
		     uint64_t missing)
{
	calls->has_gap = 1;
	calls->gap = (struct call_event){ .kind = CALL_GAP,
					  .gap = gap,
					  .missing = missing,
					  .depth = (uint32_t)calls->keep };
}

/*
 * Ends all calls. Nothing is known after `known_tsc`, the time of the last
 * event.
 */
static void begin_anew(struct thread_calls *calls, enum call_ending ending,
		       uint64_t known_tsc)
{
	calls->keep = 0;
	calls->offset = 0;
	calls->ending = ending;
	calls->end_tsc = known_tsc;
	calls->end_clock = CLOCK_NOT_BEFORE;
}

/* Ends calls at the present time. */
static void end_by_now(struct thread_calls *calls, enum call_ending ending)
{
	calls->ending = ending;
	calls->end_tsc = calls->now;
	calls->end_clock = calls->clock;
}

static void go_on(struct thread_calls *calls)
{
	const struct packet_context *context = &calls->cursor.context;
	const size_t depth = calls->depth;
	const int is_full = context->cause == WIRE_PACKET_FULL;

	calls->keep = find_common(calls, &calls->offset);
	end_by_now(calls, CALL_RETURNED);
	if (is_full && calls->keep == calls->offset + context->count &&
	    (calls->keep || !depth || calls->ids[0] == calls->base_id))
		return;
	calls->ending = CALL_LEFT;
	for (size_t i = 0; i < calls->keep; i++)
		calls->stack[i].is_moved = 1;
	tell_gap(calls, is_full ? GAP_MISMATCH : GAP_MOVED, 0);
}

static void take_context(struct thread_calls *calls)
{
	const struct packet_context *context = &calls->cursor.context;
	const uint64_t expected = calls->sequence, known_tsc = calls->now;

	/* otherwise the context's time is an estimate */
	if (calls->cursor.tsc > calls->now)
		calls->now = calls->cursor.tsc;
	calls->clock = CLOCK_STAMPED;
	calls->sequence = context->sequence + 1;
	calls->next_tid = context->tid;
	find_ids(calls);
	if (expected && context->sequence != expected) {
		begin_anew(calls, CALL_CUT, known_tsc);
		tell_gap(calls, GAP_MISSING,
			 context->sequence > expected
				 ? context->sequence - expected
				 : 0);
	} else if (calls->cursor.bad_words != calls->bad_words) {
		begin_anew(calls, CALL_CUT, known_tsc);
		tell_gap(calls, GAP_DAMAGED, 0);
	} else if (!expected || context->tid != calls->tid ||
		   (calls->depth == 0 && context->cause == WIRE_PACKET_FIRST)) {
		begin_anew(calls, CALL_OPEN, known_tsc);
	} else {
		go_on(calls);
	}
	calls->bad_words = calls->cursor.bad_words;
	calls->opened = (uint32_t)(calls->keep - calls->offset);
	calls->opening = context->count;
	if (calls->keep == 0)
		calls->base_id = calls->ids[0];
}

/* ---- Calls ---- */

static void take_call(struct thread_calls *calls)
{
	const uint64_t tsc =
		call_stamps_tsc(&calls->stamps, calls->ordinal, &calls->clock);

	if (tsc > calls->now)
		calls->now = tsc;
	calls->keep = calls->offset + calls->cursor.depth - 1;
	end_by_now(calls, CALL_RETURNED);
	calls->has_call = 1;
}

static void take_time(struct thread_calls *calls)
{
	if (calls->cursor.tsc > calls->now)
		calls->now = calls->cursor.tsc;
	calls->clock = CLOCK_STAMPED;
}

/* Handles a return. The outermost call that ends was active until that time. */
static void take_return(struct thread_calls *calls)
{
	take_time(calls);
	calls->keep = calls->offset + calls->cursor.depth;
	end_by_now(calls, CALL_RETURNED);
	if (calls->keep < calls->depth)
		calls->stack[calls->keep].inner_tsc = calls->now;
}

/*
 * Handles the end of a packet. Returns 0 if the next packet begins after the
 * window. Without a next packet, all calls end.
 */
static int take_end(struct thread_calls *calls)
{
	const int is_damaged =
		calls->words && calls->cursor.bad_words != calls->bad_words;

	calls->bad_words = calls->cursor.bad_words;
	if (is_damaged) {
		begin_anew(calls, CALL_CUT, calls->now);
		tell_gap(calls, GAP_DAMAGED, 0);
		calls->sequence = 0;
		return 1;
	}
	if (load_packet(calls))
		return 1;
	calls->is_over = calls->next < calls->stop; /* the window has ended */
	if (calls->is_over)
		return 0;
	calls->is_last = 1;
	begin_anew(calls, CALL_OPEN, calls->now);
	if (calls->is_unreadable)
		tell_gap(calls, GAP_MISSING, 0);
	free_packet(calls);
	return 1;
}

static int advance(struct thread_calls *calls)
{
	const enum packet_event event =
		calls->words ? packet_next(&calls->cursor) : PACKET_END;

	if (event == PACKET_CONTEXT)
		take_context(calls);
	else if (event == PACKET_CALL)
		take_call(calls);
	else if (event == PACKET_MOMENT)
		take_time(calls);
	else if (event == PACKET_RETURN)
		take_return(calls);
	else if (event == PACKET_END)
		return !calls->is_last && take_end(calls);
	return 1;
}

static void push(struct thread_calls *calls, const struct traced_call *call)
{
	if (calls->depth > 0)
		calls->stack[calls->depth - 1].inner_tsc = call->inner_tsc;
	calls->stack = memory_grow(calls->stack, calls->depth, &calls->capacity,
				   sizeof(*calls->stack));
	calls->stack[calls->depth++] = *call;
	calls->keep = calls->depth;
}

static void pop(struct thread_calls *calls, struct call_event *event)
{
	event->kind = CALL_END;
	event->ending = calls->ending;
	event->tsc = calls->end_tsc;
	event->clock = calls->end_clock;
	event->depth = (uint32_t)calls->depth;
	event->call = calls->stack[--calls->depth];
	if (calls->depth > 0 &&
	    calls->stack[calls->depth - 1].inner_tsc < event->call.inner_tsc)
		calls->stack[calls->depth - 1].inner_tsc =
			event->call.inner_tsc;
}

/* Returns the next function of a context that is not yet on the stack. */
static struct traced_call opened_call(struct thread_calls *calls)
{
	const uint32_t i = calls->opened++;

	return (struct traced_call){
		.id = calls->ids[i + 1],
		.function = function_at(&calls->cursor.context, i),
		.seen_tsc = calls->now,
		.inner_tsc = calls->now,
		.packet = calls->packet,
		.ordinal = calls->ordinal,
	};
}

static struct traced_call made_call(struct thread_calls *calls)
{
	const uint32_t function = calls->cursor.function;

	calls->has_call = 0;
	return (struct traced_call){
		.id = id_push(id_at(calls, calls->depth), id_key(function)),
		.function = function,
		.begin_tsc = calls->now,
		.seen_tsc = calls->now,
		.inner_tsc = calls->now,
		.packet = calls->packet,
		.ordinal = calls->ordinal++,
		.is_tail = calls->cursor.is_tail,
		.clock = (uint8_t)calls->clock,
	};
}

/* Returns the next event, ignoring the window. */
static int next_of_all(struct thread_calls *calls, struct call_event *event)
{
	for (;;) {
		*event = (struct call_event){ .tsc = calls->now,
					      .clock = calls->clock,
					      .tid = calls->tid };
		if (calls->depth > calls->keep) {
			pop(calls, event);
			return 1;
		}
		calls->tid = event->tid = calls->next_tid;
		if (calls->has_gap) {
			calls->has_gap = 0;
			event->kind = CALL_GAP;
			event->gap = calls->gap.gap;
			event->missing = calls->gap.missing;
			event->depth = (uint32_t)calls->depth;
			return 1;
		}
		if (calls->opened < calls->opening || calls->has_call) {
			event->call = calls->opened < calls->opening
					      ? opened_call(calls)
					      : made_call(calls);
			push(calls, &event->call);
			event->kind = CALL_BEGIN;
			event->depth = (uint32_t)calls->depth;
			return 1;
		}
		if (!advance(calls))
			return 0;
	}
}

/* ---- The window ---- */

/*
 * Sets *event to the beginning of a call that was active when the window began.
 */
static void announce(struct thread_calls *calls, struct call_event *event,
		     const struct traced_call *call)
{
	*event = (struct call_event){
		.kind = CALL_BEGIN,
		.tsc = calls->from_tsc,
		.clock = CLOCK_NOT_BEFORE,
		.tid = calls->tid,
		.depth = (uint32_t)++calls->announced,
		.call = *call,
	};
}

/*
 * Announces, before the window's first event, the calls that were active when
 * the window began. Returns 0 after the last one.
 */
static int announce_held(struct thread_calls *calls, struct call_event *event)
{
	const struct call_event *held = &calls->held;
	const size_t around =
		held->kind == CALL_BEGIN ? held->depth - 1U : held->depth;

	if (calls->announced >= around)
		return 0;
	announce(calls, event,
		 held->kind == CALL_END && calls->announced + 1 == around
			 ? &held->call
			 : &calls->stack[calls->announced]);
	event->tid = held->tid;
	return 1;
}

/* Ends the calls that are active at the end of the window. */
static int close_window(struct thread_calls *calls, struct call_event *event)
{
	if (!calls->is_inside && calls->announced < calls->depth) {
		announce(calls, event, &calls->stack[calls->announced]);
		return 1;
	}
	calls->is_inside = 1;
	if (calls->depth == 0)
		return 0;
	*event = (struct call_event){ .tid = calls->tid };
	begin_anew(calls, CALL_OPEN, calls->to_tsc);
	pop(calls, event);
	return 1;
}

/*
 * Returns whether a call or a gap begins after the window and is therefore
 * ignored.
 */
static int is_behind(struct thread_calls *calls, const struct call_event *event)
{
	if (event->tsc <= calls->to_tsc || event->kind == CALL_END)
		return 0;
	if (event->kind == CALL_BEGIN)
		calls->depth--;
	return 1;
}

int thread_calls_next(struct thread_calls *calls, struct call_event *event)
{
	for (;;) {
		if (calls->has_held) {
			if (announce_held(calls, event))
				return 1;
			calls->has_held = 0;
			*event = calls->held;
			return 1;
		}
		if (calls->is_over)
			return close_window(calls, event);
		if (!next_of_all(calls, event)) {
			if (calls->is_over)
				continue;
			return 0;
		}
		if (is_behind(calls, event)) {
			calls->is_over = 1;
			continue;
		}
		if (calls->is_inside)
			return 1;
		if (event->tsc < calls->from_tsc)
			continue;
		calls->is_inside = calls->has_held = 1;
		calls->held = *event;
	}
}
