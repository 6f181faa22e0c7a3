/* SPDX-License-Identifier: MIT */
/* See packet_counter.h. */
#include "report/merge/packet_counter.h"

#include <stdlib.h>

#include "base/memory.h"
#include "wire/id.h"

static void reach(struct packet_counter *counter, size_t depth)
{
	while (depth >= counter->room)
		counter->ids =
			memory_grow(counter->ids, counter->room, &counter->room,
				    sizeof(*counter->ids));
}

/*
 * Computes the ids of a context's functions, stores them by depth, and enters
 * the contexts with these ids into the table.
 */
static void take_context(struct packet_counter *counter, uint32_t tally,
			 const struct packet_context *context)
{
	uint64_t id = context->id;

	reach(counter, context->count);
	for (uint32_t i = 0; i < context->count; i++) {
		const uint32_t function = context->functions[i];

		counter->ids[context->count - i] = id;
		if (id)
			packet_table_enter(&counter->table, id, tally,
					   function);
		id = id_pop(id, id_key(function));
	}
	counter->ids[0] = id;
}

static void take_call(struct packet_counter *counter, uint32_t tally,
		      const struct packet_cursor *cursor)
{
	struct packet_count *entry;
	uint64_t id;

	reach(counter, cursor->depth);
	id = id_push(counter->ids[cursor->depth - 1], id_key(cursor->function));
	counter->ids[cursor->depth] = id;
	if (!id)
		/* 0 marks free entries; practically no context has this id. */
		return;
	entry = packet_table_enter(&counter->table, id, tally,
				   cursor->function);
	entry->calls++;
	entry->tails += cursor->is_tail;
	counter->calls++;
	if (counter->is_timed)
		packet_times_call(&counter->times, id,
				  (size_t)(entry - counter->table.entries));
}

/* ---- Times ---- */

static void take_time(struct packet_counter *counter, enum packet_event event,
		      const struct packet_cursor *cursor)
{
	packet_times_stamp(&counter->times, &counter->table, event,
			   cursor->tsc);
}

/*
 * Handles the time stamp of a context. If the context does not directly follow
 * the former one of the same thread, the time before it belongs to no context.
 */
static void time_context(struct packet_counter *counter,
			 const struct packet_cursor *cursor,
			 const struct packet_context *former)
{
	const struct packet_context *context = &cursor->context;

	if (context->tid != former->tid ||
	    context->sequence != former->sequence + 1)
		packet_times_forget(&counter->times);
	take_time(counter, PACKET_CONTEXT, cursor);
	packet_times_run(&counter->times, PACKET_CONTEXT,
			 counter->ids[cursor->depth]);
}

/*
 * Handles a return with its time stamp. Callers outside the packet's context
 * get no time, because only other packets contain their returns.
 */
static void time_return(struct packet_counter *counter,
			const struct packet_cursor *cursor)
{
	const uint32_t depth = cursor->depth;

	take_time(counter, PACKET_RETURN, cursor);
	packet_times_run(&counter->times, PACKET_RETURN,
			 depth ? counter->ids[depth] : ID_ROOT);
}

static void take_timed(struct packet_counter *counter, uint32_t tally,
		       const struct packet_cursor *cursor,
		       enum packet_event event,
		       const struct packet_context *former)
{
	if (event == PACKET_CALL) {
		take_call(counter, tally, cursor);
	} else if (event == PACKET_CONTEXT) {
		take_context(counter, tally, &cursor->context);
		time_context(counter, cursor, former);
	} else if (cursor->is_lost) {
		packet_times_forget(&counter->times);
	} else if (event == PACKET_RETURN) {
		time_return(counter, cursor);
	} else if (event == PACKET_TIME || event == PACKET_MOMENT) {
		take_time(counter, event, cursor);
	}
}

static void count_timed(struct packet_counter *counter,
			struct packet_cursor *cursor, uint32_t tally)
{
	struct packet_context former = { 0 };
	uint64_t bad_words = 0;
	enum packet_event event;

	packet_times_begin(&counter->times, tally);
	while ((event = packet_next(cursor)) != PACKET_END) {
		if (cursor->bad_words != bad_words)
			packet_times_forget(&counter->times);
		bad_words = cursor->bad_words;
		take_timed(counter, tally, cursor, event, &former);
		former = cursor->context;
	}
	if (cursor->bad_words != bad_words || cursor->is_lost)
		packet_times_forget(&counter->times);
}

static void count(struct packet_counter *counter, struct packet_cursor *cursor,
		  uint32_t tally)
{
	enum packet_event event;

	while ((event = packet_next(cursor)) != PACKET_END) {
		if (event == PACKET_CALL)
			take_call(counter, tally, cursor);
		else if (event == PACKET_CONTEXT)
			take_context(counter, tally, &cursor->context);
	}
}

void packet_counter_init(struct packet_counter *counter)
{
	*counter = (struct packet_counter){ 0 };
	packet_table_init(&counter->table);
}

void packet_counter_fini(struct packet_counter *counter)
{
	packet_table_fini(&counter->table);
	packet_times_fini(&counter->times);
	free(counter->ids);
	*counter = (struct packet_counter){ 0 };
}

void packet_counter_take(struct packet_counter *counter,
			 struct packet_cursor *cursor, uint32_t tally)
{
	if (counter->is_timed)
		count_timed(counter, cursor, tally);
	else
		count(counter, cursor, tally);
	counter->bad_words += cursor->bad_words;
}

void packet_counter_go_on(struct packet_counter *counter, uint64_t tsc)
{
	packet_times_stamp(&counter->times, &counter->table, PACKET_CONTEXT,
			   tsc);
}
