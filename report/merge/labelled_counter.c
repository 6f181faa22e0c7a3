/* SPDX-License-Identifier: MIT */
/* See labelled_counter.h. */
#include "report/merge/labelled_counter.h"

#include <stdlib.h>

#include "base/memory.h"
#include "wire/id.h"

/* ---- Frames ---- */

static struct labelled_frame *frame_at(struct labelled_counter *counter,
				       size_t depth)
{
	while (depth >= counter->room)
		counter->frames =
			memory_grow(counter->frames, counter->room,
				    &counter->room, sizeof(*counter->frames));
	return &counter->frames[depth];
}

/* Returns the node for the frame at `depth`, given the node of its caller. */
static uint32_t find_node(struct labelled_counter *counter, uint32_t depth)
{
	const struct labelled_frame *frame = &counter->frames[depth];

	return call_tree_at(&counter->tree, &(struct call_key){
						    .site = frame->site,
						    .function = frame->function,
						    .values = frame->values,
						    .parent = frame[-1].node,
					    });
}

/*
 * Determines the nodes of all frames whose nodes are outdated, from the
 * outermost up to that depth.
 */
static void settle(struct labelled_counter *counter, uint32_t depth)
{
	for (; counter->settled <= depth; counter->settled++) {
		struct labelled_frame *frame =
			&counter->frames[counter->settled];
		const uint32_t before = frame->node;

		frame->node = frame->function
				      ? find_node(counter, counter->settled)
				      : frame[-1].node;
		frame->is_counted &= frame->node == before;
	}
}

/* Stores an active call. settle() determines its node later. */
static void enter(struct labelled_counter *counter, uint32_t depth,
		  uint32_t function, uint64_t site)
{
	*frame_at(counter, depth) = (struct labelled_frame){
		.function = function,
		.site = counter->wish->has_sites ? site : 0,
	};
	if (counter->settled > depth)
		counter->settled = depth;
}

/* ---- Packets ---- */

static uint64_t site_of(const struct packet_context *context, uint32_t at)
{
	return context->sites ? (uint64_t)context->sites[2 * at + 1] << 32 |
					context->sites[2 * at]
			      : 0;
}

static void take_context(struct labelled_counter *counter, uint32_t tally,
			 const struct packet_context *context)
{
	struct call_key around = { .function = tally,
				   .site = context->id,
				   .parent = CALL_NODE_NONE };

	for (uint32_t i = 0; i < context->count; i++)
		around.site =
			id_pop(around.site, id_key(context->functions[i]));
	*frame_at(counter, 0) = (struct labelled_frame){
		.node = call_tree_at(&counter->tree, &around),
	};
	for (uint32_t depth = 1; depth <= context->count; depth++) {
		const uint32_t at = context->count - depth;

		enter(counter, depth, context->functions[at],
		      site_of(context, at));
	}
	counter->settled = 1;
}

static void take_call(struct labelled_counter *counter,
		      const struct packet_cursor *cursor)
{
	const uint32_t depth = cursor->depth;
	struct labelled_frame *frame;
	struct call_node *node;

	enter(counter, depth, cursor->function, packet_site(cursor));
	settle(counter, depth);
	frame = &counter->frames[depth];
	frame->is_counted = 1;
	frame->is_tail = cursor->is_tail;
	node = &counter->tree.nodes[frame->node];
	node->calls++;
	node->tails += frame->is_tail;
}

/* ---- Values ---- */

/*
 * Returns whether the value is one of the labels, and if so, stores it in
 * *value.
 */
static int value_of(const struct label_fields *fields,
		    const struct packet_value *from, struct label_value *value)
{
	const uint8_t probe = from->wire->probe, field = from->wire->field;

	if (probe >= WIRE_PROBES_MAX || field >= WIRE_PROBE_FIELDS_MAX ||
	    !fields->names[probe][field])
		return 0;
	*value = (struct label_value){
		.probe = probe,
		.field = field,
		.is_missing = (from->wire->flags & WIRE_VALUE_IS_MISSING) != 0,
	};
	if (value->is_missing)
		return 1;
	if (fields->formats[probe][field] == WIRE_FIELD_STRING) {
		value->string = from->string;
		value->string_bytes = from->number < from->string_bytes
					      ? (uint32_t)from->number
					      : from->string_bytes;
	} else {
		value->number = from->number;
	}
	return 1;
}

/*
 * Moves a call that was counted at a node without its latest value to the node
 * for its present values.
 */
static void move_call(struct labelled_counter *counter, uint32_t depth)
{
	struct labelled_frame *frame = &counter->frames[depth];
	const uint32_t node = find_node(counter, depth);
	struct call_node *from = &counter->tree.nodes[frame->node];
	struct call_node *to = &counter->tree.nodes[node];

	from->calls--;
	from->tails -= frame->is_tail;
	to->calls++;
	to->tails += frame->is_tail;
	frame->node = node;
}

/*
 * Prepares a frame for the value of a call that was counted in an earlier
 * packet, without values. The values that are stored in the frame may be those
 * of an earlier call in the same slot, so they are removed.
 */
static void take_back(struct labelled_counter *counter, uint32_t depth)
{
	struct labelled_frame *frame = &counter->frames[depth];

	frame->values = 0;
	if (counter->settled > depth)
		counter->settled = depth;
	settle(counter, depth);
	frame->is_counted = 1;
}

static void take_value(struct labelled_counter *counter,
		       const struct packet_value *from)
{
	const uint32_t depth = from->depth;
	struct labelled_frame *frame = &counter->frames[depth];
	struct label_value value;
	uint32_t values;

	if (!value_of(counter->fields, from, &value))
		return;
	if (!frame->is_counted && !(from->wire->flags & WIRE_VALUE_IS_AGAIN))
		take_back(counter, depth);
	values = value_sets_with(&counter->values, frame->values, &value);
	if (values == frame->values)
		return;
	frame->values = values;
	settle(counter, depth - 1);
	if (frame->is_counted)
		move_call(counter, depth);
	if (counter->settled > depth + frame->is_counted)
		counter->settled = depth + frame->is_counted;
}

void labelled_counter_fini(struct labelled_counter *counter)
{
	call_tree_fini(&counter->tree);
	value_sets_fini(&counter->values);
	free(counter->frames);
	*counter = (struct labelled_counter){ 0 };
}

void labelled_counter_take(struct labelled_counter *counter,
			   struct packet_cursor *cursor, uint32_t tally)
{
	enum packet_event event;

	while ((event = packet_next(cursor)) != PACKET_END) {
		if (event == PACKET_CALL)
			take_call(counter, cursor);
		else if (event == PACKET_CONTEXT)
			take_context(counter, tally, &cursor->context);
		else if (event == PACKET_VALUE)
			take_value(counter, &cursor->value);
	}
}
