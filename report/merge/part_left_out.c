/* SPDX-License-Identifier: MIT */
/* See part_left_out.h. */
#include "report/merge/part_left_out.h"

#include "base/memory.h"

static uint64_t span_ns(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/*
 * Returns the end of a process. If the process was killed, this is the time
 * when the budget was last checked.
 */
static uint64_t end_ns(const struct wire_header *header)
{
	return header->end_ns > header->budget_seen_ns ? header->end_ns
						       : header->budget_seen_ns;
}

static void add(struct left_out *left, const struct wire_left_out *item,
		const struct wire_header *header)
{
	const uint64_t since_ns = item->since_ns;
	const uint64_t open_ns =
		since_ns ? span_ns(since_ns, end_ns(header)) : 0;
	const uint64_t first_ns = span_ns(header->start_ns, item->first_ns);

	if (left->times == 0 || first_ns < left->first_ns)
		left->first_ns = first_ns;
	left->times += item->times;
	left->out_ns += item->out_ns + open_ns;
	left->present_ns += span_ns(header->start_ns, end_ns(header));
	left->missed += wire_missed(item, header->budget_rest_ns);
}

static void add_chunk(const struct part_copy *part,
		      const struct part_chunk *chunk, struct catalog *catalog,
		      const struct numbering *numbering)
{
	const struct wire_left_out *items = (const void *)chunk->payload;

	for (size_t i = 0; i < chunk->used_bytes / sizeof(*items); i++) {
		const uint32_t index =
			numbering_function(numbering, items[i].function);
		struct catalog_function *function = &catalog->functions[index];

		if (index < FUNCTION_FIRST || items[i].times == 0)
			continue;
		if (!function->left_out)
			function->left_out =
				memory_zeroed(1, sizeof(*function->left_out));
		add(function->left_out, &items[i], part->header);
	}
}

void part_left_out_add(const struct part_copy *part, struct catalog *catalog,
		       const struct numbering *numbering)
{
	struct part_chunk chunk;
	uint64_t cursor = 0;

	while (part_next_chunk(part, &cursor, &chunk))
		if (chunk.kind == WIRE_LEFT_OUT)
			add_chunk(part, &chunk, catalog, numbering);
}
