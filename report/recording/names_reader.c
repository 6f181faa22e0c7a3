/* SPDX-License-Identifier: MIT */
/* See names_reader.h. */
#include "report/recording/names_reader.h"

static uint32_t most_bytes(const struct part_chunk *chunk)
{
	return chunk->kind == WIRE_SOURCES ? WIRE_SOURCE_BYTES_MAX
					   : WIRE_NAME_BYTES_MAX;
}

int names_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_name *out)
{
	const size_t left = chunk->used_bytes - *cursor;
	const struct wire_name *name = (const void *)(chunk->payload + *cursor);
	size_t padded;

	if (left < sizeof(*name) || name->bytes > most_bytes(chunk))
		return 0;
	padded = ((size_t)name->bytes + 7) & ~(size_t)7;
	if (padded > left - sizeof(*name))
		return 0;
	*out = (struct recorded_name){
		.number = name->number,
		.text = (const char *)(name + 1),
		.text_bytes = name->bytes,
	};
	*cursor += sizeof(*name) + padded;
	return 1;
}
