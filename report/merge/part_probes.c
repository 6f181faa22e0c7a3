/* SPDX-License-Identifier: MIT */
/* See part_probes.h. */
#include "report/merge/part_probes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/merge/event_reader.h"
#include "report/recording/probes_reader.h"

/* Description of a value that a probe records. */
struct kept_field {
	const struct wire_probe_field *wire; /* NULL if there is none */
	const char *name;                    /* the name, which the list owns */
};

struct kept_probe {
	uint32_t name; /* 1 + number in the list; 0 if it has none yet */
	struct kept_field fields[WIRE_PROBE_FIELDS_MAX];
};

struct probes_work {
	struct mark_list *list;
	struct event_reader event_reader;
	struct kept_probe probes[WIRE_PROBES_MAX];
};

/* ---- Names and descriptions ---- */

static void read_names(struct probes_work *work, const struct part_chunk *chunk)
{
	struct recorded_probe probe;
	size_t at = 0;

	while (recorded_probe_next(chunk, &at, &probe)) {
		char *text = memory_string(probe.text, probe.text_bytes);
		char *name = memory_printf("p%" PRIu32 ": %s", probe.number + 1,
					   text);

		work->probes[probe.number].name =
			1 + mark_list_name(work->list, name);
		free(name);
		free(text);
	}
}

static void read_fields(struct probes_work *work,
			const struct part_chunk *chunk)
{
	struct recorded_field field;
	size_t at = 0;

	while (recorded_field_next(chunk, &at, &field))
		work->probes[field.wire->probe].fields[field.wire->index] =
			(struct kept_field){
				.wire = field.wire,
				.name = mark_list_value_name(work->list,
							     field.text,
							     field.text_bytes),
			};
}

/* ---- Events ---- */

/* Returns whether an event of `event_bytes` bytes contains the value. */
static int is_inside(const struct wire_probe_field *field, uint32_t event_bytes)
{
	const uint32_t bytes = 8 + (field->format == WIRE_FIELD_STRING
					    ? (field->string_bytes + 7U) & ~7U
					    : 0U);

	return field->offset <= event_bytes &&
	       bytes <= event_bytes - field->offset;
}

static struct mark_value value_of(const struct kept_field *field,
				  const struct wire_probe_event *event)
{
	const unsigned char *at =
		(const unsigned char *)event + field->wire->offset;
	struct mark_value value = {
		.name = field->name,
		.format = (char)field->wire->format,
		.is_missing = event->failed >> field->wire->index & 1,
	};

	memcpy(&value.number, at, sizeof(value.number));
	if (value.format != WIRE_FIELD_STRING || value.is_missing)
		return value;
	if (value.number > field->wire->string_bytes)
		value.number = field->wire->string_bytes;
	value.is_cut = value.number == field->wire->string_bytes;
	value.string = memory_string((const char *)at + 8, value.number);
	return value;
}

static void add_values(struct probes_work *work, struct mark_event *moment,
		       const struct recorded_probe_events *events,
		       const struct wire_probe_event *event)
{
	const struct kept_probe *probe = &work->probes[events->probe];

	moment->first_value = (uint32_t)work->list->value_count;
	for (unsigned int i = 0; i < WIRE_PROBE_FIELDS_MAX; i++) {
		const struct kept_field *field = &probe->fields[i];
		struct mark_value value;

		if (!field->wire ||
		    !is_inside(field->wire, events->event_bytes))
			continue;
		value = value_of(field, event);
		mark_list_add_value(work->list, &value);
		moment->value_count++;
	}
}

static void add_events(struct probes_work *work,
		       const struct recorded_probe_events *events)
{
	const uint32_t name = work->probes[events->probe].name;

	for (uint32_t i = 0; name && i < events->count; i++) {
		const struct wire_probe_event *event =
			(const void *)(events->first +
				       (size_t)i * events->event_bytes);
		struct mark_event moment;

		if (!event->is_there ||
		    !event_reader_selects(&work->event_reader, event->tid))
			continue;
		moment = event_reader_event(&work->event_reader, event->tsc,
					    event->id, event->tid);
		moment.name = name - 1;
		add_values(work, &moment, events, event);
		mark_list_add(work->list, &moment);
	}
}

/* Returns whether any probe of the part records values. */
static int has_fields(const struct part_copy *part)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_PROBE_FIELDS)
			return 1;
	return 0;
}

void part_probes_add(struct mark_list *list, const struct part_copy *part,
		     struct contexts *contexts, const char *thread)
{
	struct probes_work work = { .list = list };
	struct recorded_probe_events events;
	struct part_chunk chunk;
	uint64_t cursor = 0;

	if (!has_fields(part))
		return;
	event_reader_init(&work.event_reader, part, contexts, thread);
	while (part_next_chunk(part, &cursor, &chunk)) {
		if (chunk.kind == WIRE_PROBES)
			read_names(&work, &chunk);
		read_fields(&work, &chunk);
	}
	cursor = 0;
	while (part_next_chunk(part, &cursor, &chunk))
		if (recorded_probe_events_of(&chunk, &events))
			add_events(&work, &events);
	event_reader_fini(&work.event_reader);
}
