/* SPDX-License-Identifier: MIT */
/* See makers_reader.h. */
#include "report/recording/makers_reader.h"

int makers_next(const struct part_chunk *chunk, size_t *cursor,
		struct recorded_maker *out)
{
	const size_t left = chunk->used_bytes - *cursor;
	const struct wire_maker *maker =
		(const void *)(chunk->payload + *cursor);
	size_t padded;

	if (left < sizeof(*maker) || maker->bytes > WIRE_MAKER_BYTES_MAX)
		return 0;
	padded = ((size_t)maker->bytes + 7) & ~(size_t)7;
	if (padded > left - sizeof(*maker))
		return 0;
	*out = (struct recorded_maker){
		.start = maker->start,
		.end = maker->end,
		.tsc = maker->tsc,
		.gone_tsc = maker->gone_tsc,
		.pc = maker->pc,
		.name = (const char *)(maker + 1),
		.name_bytes = maker->bytes,
	};
	*cursor += sizeof(*maker) + padded;
	return 1;
}
