/* SPDX-License-Identifier: MIT */
/* See dump_probes.h. */
#include "report/dump/dump_probes.h"

#include <inttypes.h>

#include "report/dump/dump_string.h"
#include "report/recording/probes_reader.h"

static void dump_texts(FILE *out, const char *what,
		       const struct part_chunk *chunk)
{
	struct recorded_probe probe;
	size_t at = 0;

	while (recorded_probe_next(chunk, &at, &probe)) {
		fprintf(out, "%s number=%" PRIu32, what, probe.number);
		dump_string(out, "text", probe.text, probe.text_bytes);
	}
}

static void dump_fields(FILE *out, const struct part_chunk *chunk)
{
	struct recorded_field field;
	size_t at = 0;

	while (recorded_field_next(chunk, &at, &field)) {
		fprintf(out,
			"probe_field probe=%u index=%u format=%c offset=%u "
			"string_bytes=%u",
			field.wire->probe, field.wire->index,
			field.wire->format, field.wire->offset,
			field.wire->string_bytes);
		dump_string(out, "text", field.text, field.text_bytes);
	}
}

static void dump_events(FILE *out, const struct recorded_probe_events *events)
{
	for (uint32_t i = 0; i < events->count; i++) {
		const struct wire_probe_event *event =
			(const void *)(events->first +
				       (size_t)i * events->event_bytes);
		const size_t bytes = events->event_bytes - sizeof(*event);
		const uint64_t *words = (const void *)(event + 1);

		if (!event->is_there)
			continue;
		fprintf(out,
			"probe_event probe=%" PRIu32 " tsc=%" PRIu64
			" id=%#" PRIx64 " tid=%" PRIu32 " failed=%#x words=",
			events->probe, event->tsc, event->id, event->tid,
			event->failed);
		for (size_t word = 0; word < bytes / sizeof(*words); word++)
			fprintf(out, "%s%#" PRIx64, word ? "," : "",
				words[word]);
		fputc('\n', out);
	}
}

static void dump_hits(FILE *out, const struct wire_probe_hits *hits)
{
	for (unsigned int i = 0; i < WIRE_PROBES_MAX; i++)
		if (hits[i].refused || hits[i].unknown || hits[i].wanted ||
		    hits[i].lost_no_space || hits[i].lost_too_many)
			fprintf(out,
				"probe_hits probe=%u refused=%" PRIu64
				" unknown=%" PRIu64 " wanted=%" PRIu64
				" over=%" PRIu64 " lost_no_space=%" PRIu64
				" lost_too_many=%" PRIu64 "\n",
				i, (uint64_t)hits[i].refused,
				(uint64_t)hits[i].unknown,
				(uint64_t)hits[i].wanted,
				(uint64_t)hits[i].over,
				(uint64_t)hits[i].lost_no_space,
				(uint64_t)hits[i].lost_too_many);
}

static void dump_places(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_probe_place *places = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*places); i++)
		fprintf(out,
			"probe_place probe=%u vaddr=%#" PRIx64
			" function=%" PRIu32 " tier=%s reason=%u\n",
			places[i].probe, places[i].vaddr, places[i].function,
			probe_tier_text(places[i].tier), places[i].reason);
}

void dump_probes(FILE *out, const struct part_chunk *chunk)
{
	const struct wire_probe_hits *hits = recorded_probe_hits_of(chunk);
	struct recorded_probe_events events;

	if (chunk->kind == WIRE_PROBES)
		dump_texts(out, "probe", chunk);
	if (chunk->kind == WIRE_PROBE_ACTIONS)
		dump_texts(out, "probe_action", chunk);
	dump_fields(out, chunk);
	if (recorded_probe_events_of(chunk, &events))
		dump_events(out, &events);
	if (hits)
		dump_hits(out, hits);
	if (chunk->kind == WIRE_PROBE_PLACES)
		dump_places(out, chunk);
}
