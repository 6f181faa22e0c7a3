/* SPDX-License-Identifier: MIT */
/* See bindings_reader.h. */
#include "report/recording/bindings_reader.h"

#include <string.h>

/*
 * Returns the text at *at and advances *at past its NUL. Returns "" if no NUL
 * precedes `end`.
 */
static const char *take_text(const char **at, const char *end)
{
	const char *text = *at;
	const char *nul = memchr(text, '\0', (size_t)(end - text));

	if (!nul)
		return "";
	*at = nul + 1;
	return text;
}

int bindings_next(const struct part_chunk *chunk, size_t *cursor,
		  struct recorded_binding *out)
{
	const size_t left = chunk->used_bytes - *cursor;
	const struct wire_binding *binding =
		(const void *)(chunk->payload + *cursor);
	const char *at, *end;
	size_t padded;

	if (left < sizeof(*binding) || binding->bytes > WIRE_BINDING_BYTES_MAX)
		return 0;
	padded = ((size_t)binding->bytes + 7) & ~(size_t)7;
	if (padded > left - sizeof(*binding))
		return 0;
	at = (const char *)(binding + 1);
	end = at + binding->bytes;
	*out = (struct recorded_binding){ .pc = binding->pc,
					  .bound_ns = binding->bound_ns,
					  .number = binding->number };
	if (out->number == WIRE_INTRINSIC) {
		out->number = 0;
		out->is_intrinsic = 1;
	}
	out->class_name = take_text(&at, end);
	out->name = take_text(&at, end);
	out->signature = take_text(&at, end);
	*cursor += sizeof(*binding) + padded;
	return 1;
}

int codes_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_code *out)
{
	const size_t left = chunk->used_bytes - *cursor;
	const struct wire_code *code = (const void *)(chunk->payload + *cursor);
	const char *at, *end;
	size_t padded;

	if (left < sizeof(*code) || code->bytes > WIRE_BINDING_BYTES_MAX)
		return 0;
	padded = ((size_t)code->bytes + 7) & ~(size_t)7;
	if (padded > left - sizeof(*code))
		return 0;
	at = (const char *)(code + 1);
	end = at + code->bytes;
	*out = (struct recorded_code){ .start = code->start,
				       .tsc = code->tsc,
				       .code_bytes = code->code_bytes,
				       .kind = code->kind,
				       .object = code->object,
				       .class_name = "",
				       .signature = "" };
	if (code->kind == WIRE_CODE_JAVA)
		out->class_name = take_text(&at, end);
	out->name = take_text(&at, end);
	if (code->kind == WIRE_CODE_JAVA)
		out->signature = take_text(&at, end);
	*cursor += sizeof(*code) + padded;
	return 1;
}
