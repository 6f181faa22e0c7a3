/* SPDX-License-Identifier: MIT */
/* See probes_reader.h. */
#include "report/recording/probes_reader.h"

#include <string.h>

/*
 * Returns whether a record of `bytes` bytes at offset `at` of the chunk exists,
 * and a text of text_bytes bytes fits into it behind its first `head` bytes.
 */
static int text_of(const struct part_chunk *chunk, size_t at, uint32_t bytes,
		   uint32_t text_bytes, size_t head)
{
	return bytes >= head && bytes % 8 == 0 &&
	       bytes <= part_chunk_used(chunk) - at &&
	       text_bytes <= bytes - head;
}

int recorded_probe_next(const struct part_chunk *chunk, size_t *at,
			struct recorded_probe *out)
{
	const struct wire_probe *probe = (const void *)(chunk->payload + *at);

	if (*at > part_chunk_used(chunk) ||
	    part_chunk_used(chunk) - *at < sizeof(*probe) ||
	    !text_of(chunk, *at, probe->bytes, probe->text_bytes,
		     sizeof(*probe)) ||
	    probe->number >= WIRE_PROBES_MAX)
		return 0;
	*at += probe->bytes;
	*out = (struct recorded_probe){
		.number = probe->number,
		.text = (const char *)(probe + 1),
		.text_bytes = probe->text_bytes,
		.is_removed = probe->is_removed != 0,
	};
	return 1;
}

static int is_format(unsigned int format)
{
	return format && strchr("duxcs", (int)format);
}

int recorded_field_next(const struct part_chunk *chunk, size_t *at,
			struct recorded_field *out)
{
	const struct wire_probe_field *field =
		(const void *)(chunk->payload + *at);

	if (chunk->kind != WIRE_PROBE_FIELDS || *at > part_chunk_used(chunk) ||
	    part_chunk_used(chunk) - *at < sizeof(*field) ||
	    !text_of(chunk, *at, field->bytes, field->text_bytes,
		     sizeof(*field)) ||
	    field->probe >= WIRE_PROBES_MAX ||
	    field->index >= WIRE_PROBE_FIELDS_MAX ||
	    !is_format(field->format) || field->offset % 8 ||
	    field->offset < sizeof(struct wire_probe_event))
		return 0;
	*at += field->bytes;
	*out = (struct recorded_field){
		.wire = field,
		.text = (const char *)(field + 1),
		.text_bytes = field->text_bytes,
	};
	return 1;
}

int recorded_probe_events_of(const struct part_chunk *chunk,
			     struct recorded_probe_events *out)
{
	const struct wire_probe_events *head = (const void *)chunk->payload;
	uint32_t count;

	if (chunk->kind != WIRE_PROBE_EVENTS ||
	    part_chunk_used(chunk) < sizeof(*head) ||
	    head->event_bytes < sizeof(struct wire_probe_event) ||
	    head->event_bytes % 8 || head->probe >= WIRE_PROBES_MAX)
		return 0;
	count = head->slots.used < head->slots.room ? head->slots.used
						    : head->slots.room;
	if ((part_chunk_used(chunk) - sizeof(*head)) / head->event_bytes <
	    count)
		return 0;
	*out = (struct recorded_probe_events){
		.first = (const unsigned char *)(head + 1),
		.count = count,
		.event_bytes = head->event_bytes,
		.probe = head->probe,
	};
	return 1;
}

int recorded_crash_of(const struct part_chunk *chunk,
		      struct recorded_crash *out)
{
	const struct wire_handler_crash *crash = (const void *)chunk->payload;

	if (chunk->kind != WIRE_HANDLER_CRASH ||
	    part_chunk_used(chunk) < sizeof(*crash) ||
	    !text_of(chunk, 0, crash->bytes, crash->text_bytes,
		     sizeof(*crash)) ||
	    crash->probe >= WIRE_PROBES_MAX)
		return 0;
	*out = (struct recorded_crash){
		.wire = crash,
		.file = (const char *)(crash + 1),
		.file_bytes = crash->text_bytes,
	};
	return 1;
}

const struct wire_probe_hits *recorded_probe_hits_of(
	const struct part_chunk *chunk)
{
	const struct wire_probe_hits *hits = (const void *)chunk->payload;

	return chunk->kind == WIRE_PROBE_HITS &&
			       part_chunk_used(chunk) >=
				       WIRE_PROBES_MAX * sizeof(*hits)
		       ? hits
		       : NULL;
}
