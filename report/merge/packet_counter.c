/* SPDX-License-Identifier: MIT */
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

/* Ids of a context's functions, and of what is around them. */
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
		return; /* as good as never */
	entry = packet_table_enter(&counter->table, id, tally,
				   cursor->function);
	entry->calls++;
	entry->tails += cursor->is_tail;
	counter->calls++;
}

void packet_counter_init(struct packet_counter *counter)
{
	*counter = (struct packet_counter){ 0 };
	packet_table_init(&counter->table);
}

void packet_counter_fini(struct packet_counter *counter)
{
	packet_table_fini(&counter->table);
	free(counter->ids);
	*counter = (struct packet_counter){ 0 };
}

void packet_counter_take(struct packet_counter *counter,
			 struct packet_cursor *cursor, uint32_t tally)
{
	enum packet_event event;

	while ((event = packet_next(cursor)) != PACKET_END) {
		if (event == PACKET_CALL)
			take_call(counter, tally, cursor);
		else if (event == PACKET_CONTEXT)
			take_context(counter, tally, &cursor->context);
	}
	counter->bad_words += cursor->bad_words;
}
