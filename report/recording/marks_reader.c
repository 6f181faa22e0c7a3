/* SPDX-License-Identifier: MIT */
/* See marks_reader.h. */
#include "report/recording/marks_reader.h"

#include <string.h>

int recorded_marks_of(const struct part_chunk *chunk,
		      struct recorded_marks *out)
{
	const struct wire_marks *head = (const void *)chunk->payload;
	uint32_t count;

	if (chunk->kind != WIRE_MARKS || chunk->used_bytes < sizeof(*head))
		return 0;
	count = head->slots.used < head->slots.room ? head->slots.used
						    : head->slots.room;
	if ((chunk->used_bytes - sizeof(*head)) / sizeof(*out->items) < count)
		return 0;
	*out = (struct recorded_marks){ (const void *)(head + 1), count };
	return 1;
}

int recorded_mark_names_of(const struct part_chunk *chunk,
			   struct recorded_mark_names *out)
{
	const struct wire_mark_names *head = (const void *)chunk->payload;
	const struct wire_mark_name *items = (const void *)(head + 1);

	if (chunk->kind != WIRE_MARK_NAMES ||
	    chunk->used_bytes < sizeof(*head) ||
	    (chunk->used_bytes - sizeof(*head)) / sizeof(*items) < head->room)
		return 0;
	for (uint32_t i = 0; i < head->room; i++)
		if (items[i].state == WIRE_NAME_THERE &&
		    !memchr(items[i].text, 0, sizeof(items[i].text)))
			return 0;
	*out = (struct recorded_mark_names){ head, items, head->room };
	return 1;
}
