/* SPDX-License-Identifier: MIT */
/* See label_fields.h. */
#include "report/merge/label_fields.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/recording/probes_reader.h"

/* Returns whether `text`, of `bytes` bytes, equals `other`. */
static int is_text(const char *text, size_t bytes, const char *other)
{
	return strlen(other) == bytes && memcmp(text, other, bytes) == 0;
}

/*
 * Returns whether a probe's text is "[MODULE:]FUNCTION" with this function,
 * possibly followed by a blank and a remark.
 */
static int is_place(const struct recorded_probe *probe, const char *function)
{
	char *text = memory_string(probe->text, probe->text_bytes);
	const size_t length = strcspn(text, " ");
	const char *colon = probe_text_colon(text);
	const size_t skipped = colon ? (size_t)(colon + 1 - text) : 0;
	const int is_it = is_text(text, length, function) ||
			  is_text(text + skipped, length - skipped, function);

	free(text);
	return is_it;
}

static void choose_probes(uint8_t *chosen, const struct label_wish *wish,
			  const struct part_chunk *chunk)
{
	struct recorded_probe probe;
	size_t at = 0;

	while (recorded_probe_next(chunk, &at, &probe))
		chosen[probe.number] |=
			wish->has_values ||
			(wish->function && is_place(&probe, wish->function));
}

static void choose_fields(struct label_fields *fields, const uint8_t *chosen,
			  const struct label_wish *wish,
			  const struct part_chunk *chunk)
{
	struct recorded_field field;
	size_t at = 0;

	while (recorded_field_next(chunk, &at, &field)) {
		const uint16_t probe = field.wire->probe;
		const uint8_t index = field.wire->index;

		if (!chosen[probe] || fields->names[probe][index] ||
		    (!wish->has_values &&
		     !is_text(field.text, field.text_bytes, wish->argument)))
			continue;
		fields->names[probe][index] = text_printable(
			memory_string(field.text, field.text_bytes));
		fields->formats[probe][index] = field.wire->format;
		fields->string_bytes[probe][index] = field.wire->string_bytes;
		fields->count++;
	}
}

void label_fields_init(struct label_fields *fields,
		       const struct label_wish *wish,
		       const struct part_copy *part)
{
	uint8_t chosen[WIRE_PROBES_MAX] = { 0 };
	struct part_chunk chunk;
	uint64_t cursor = 0;

	*fields = (struct label_fields){ 0 };
	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_PROBES)
			choose_probes(chosen, wish, &chunk);
	cursor = 0;
	while (part_next_chunk(part, &cursor, &chunk))
		choose_fields(fields, chosen, wish, &chunk);
}

void label_fields_fini(struct label_fields *fields)
{
	for (size_t i = 0; i < WIRE_PROBES_MAX; i++)
		for (size_t j = 0; j < WIRE_PROBE_FIELDS_MAX; j++)
			free(fields->names[i][j]);
	*fields = (struct label_fields){ 0 };
}
