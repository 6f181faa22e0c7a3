/* SPDX-License-Identifier: MIT */
/* See count_finder.h. */
#include "report/merge/count_finder.h"

#include <stdlib.h>

#include "base/memory.h"

/*
 * The maximum number of entries that are searched. In a table of the library,
 * an id is nearly always nearer to its home.
 */
enum { ENTRIES_SEARCHED = 64 };

void count_finder_init(struct count_finder *finder,
		       const struct part_tallies *tallies)
{
	*finder = (struct count_finder){
		.tallies = tallies,
		.taken = memory_zeroed(tallies->count_spans,
				       sizeof(*finder->taken)),
		.tally = UINT32_MAX,
	};
	for (size_t i = 0; i < tallies->count_spans; i++) {
		const struct count_span *span = &tallies->counts[i];
		uint64_t *largest =
			idmap_at(&finder->tables, (uint64_t)span->tally + 1);

		if (!*largest ||
		    span->count > tallies->counts[*largest - 1].count)
			*largest = i + 1;
	}
}

void count_finder_fini(struct count_finder *finder)
{
	free(finder->taken);
	idmap_fini(&finder->tables);
}

/*
 * Returns the tally's largest span, or NULL if there is none or its length is
 * no power of two.
 */
static const struct count_span *table_of(struct count_finder *finder,
					 uint32_t tally)
{
	const struct count_span *table;
	const uint64_t *largest;

	if (tally == finder->tally)
		return finder->table;
	largest = idmap_find(&finder->tables, (uint64_t)tally + 1);
	table = largest ? &finder->tallies->counts[*largest - 1] : NULL;
	if (table && (table->count == 0 || table->count & (table->count - 1)))
		table = NULL;
	finder->tally = tally;
	finder->table = table;
	return table;
}

const struct count_span *count_finder_find(struct count_finder *finder,
					   uint32_t tally, uint64_t id,
					   size_t *index)
{
	const struct count_span *table = table_of(finder, tally);
	size_t at;

	if (!table)
		return NULL;
	at = wire_count_home(id, table->count - 1);
	for (int i = 0; i < ENTRIES_SEARCHED; i++) {
		if (table->items[at].id == id) {
			*index = at;
			return table;
		}
		if (table->items[at].id == 0)
			break;
		at = (at + 1) & (table->count - 1);
	}
	return NULL;
}

const struct count_span *count_finder_take(struct count_finder *finder,
					   uint32_t tally, uint64_t id,
					   size_t *index)
{
	const struct count_span *table =
		count_finder_find(finder, tally, id, index);

	if (!table || !count_finder_matters(table, *index))
		return NULL;
	finder->taken[table - finder->tallies->counts]++;
	return table;
}

void count_finder_prefetch(struct count_finder *finder, uint32_t tally,
			   uint64_t id)
{
	const struct count_span *table = table_of(finder, tally);

	if (table)
		__builtin_prefetch(
			&table->items[wire_count_home(id, table->count - 1)]);
}

int count_finder_took_all(const struct count_finder *finder,
			  const struct count_span *span)
{
	uint64_t all = 0;

	for (size_t i = 0; i < span->count; i++)
		all += (unsigned int)count_finder_matters(span, i);
	return all == finder->taken[span - finder->tallies->counts];
}
