/* SPDX-License-Identifier: MIT */
/* See blank.h. */
#include "preload/record/blank.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/sys/sys.h"

#define LOG2_MAX 48

/*
 * Blank tables, indexed by the log2 of their number of entries. Tables smaller
 * than the largest one stay, because threads may still use them. The smallest
 * one needs no mapping (hot_empty_table).
 */
static struct wire_count *_Atomic blanks[LOG2_MAX];
static _Atomic uint32_t largest = WIRE_TALLY_TABLE_LOG2;

struct wire_count *hot_blank_table(void)
{
	struct wire_count *table = blanks[atomic_load(&largest)];

	return table ? table : hot_empty_table;
}

/*
 * Maps the memory of a blank table. Like all tables, it is followed by an empty
 * entry.
 */
static struct wire_count *map_blank(unsigned int log2)
{
	return place_map(
		(sizeof(struct wire_count) << log2) + sizeof(struct wire_count),
		PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

int blank_reserve(unsigned int log2)
{
	uint32_t former = atomic_load(&largest);
	struct wire_count *table, *none = NULL;

	if (log2 <= former)
		return 0;
	if (log2 >= LOG2_MAX)
		return -ENOMEM;
	table = map_blank(log2);
	if (sys_failed(table))
		return -ENOMEM;
	if (!atomic_compare_exchange_strong(&blanks[log2], &none, table))
		sys_munmap(table, (sizeof(*table) << log2) + sizeof(*table));
	while (former < log2 &&
	       !atomic_compare_exchange_weak(&largest, &former, log2))
		;
	return 0;
}
