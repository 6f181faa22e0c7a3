/* SPDX-License-Identifier: MIT */
/* See values_reader.h. */
#include "report/recording/values_reader.h"

#include <string.h>

int recorded_values_of(const struct part_chunk *chunk,
		       struct recorded_values *out)
{
	const struct wire_values *head = (const void *)chunk->payload;
	uint64_t offset;

	if (chunk->kind != WIRE_VALUES || chunk->used_bytes < sizeof(*head) ||
	    head->columns == 0 || head->columns > WIRE_VALUES_MAX)
		return 0;
	offset = wire_value_rows_offset(head->columns);
	if (chunk->used_bytes < offset ||
	    (chunk->used_bytes - offset) / wire_value_row_bytes(head->columns) <
		    head->rows)
		return 0;
	*out = (struct recorded_values){
		.kinds = (const void *)(head + 1),
		.rows = chunk->payload + offset,
		.columns = head->columns,
		.count = head->rows,
	};
	for (uint32_t i = 0; i < out->columns; i++)
		if (!memchr(out->kinds[i].name, 0,
			    sizeof(out->kinds[i].name)) ||
		    !*out->kinds[i].name)
			return 0;
	return 1;
}
