/* SPDX-License-Identifier: MIT */
/* See tail_times.h. */
#include "preload/hot/tail_times.h"

#include <stddef.h>

#include "preload/hot/large_table.h"
#include "preload/hot/tails.h"

#define RECORDS_LOG2 12
#define NEIGHBOURS   16
/* The factor of Fibonacci hashing (Knuth). */
#define SPREAD UINT64_C(0x9e3779b97f4a7c15)

/* The records of all threads, claimed by their stack slots. */
static struct tail_time records[1 << RECORDS_LOG2] LARGE_TABLE;

static struct tail_time *record_at(uint64_t id)
{
	return id - (uintptr_t)records < sizeof(records)
		       ? (struct tail_time *)(uintptr_t)id
		       : NULL;
}

struct tail_time *tail_time_of(const struct time_slot *slot)
{
	return record_at(slot->id);
}

/*
 * Returns whether the time slot of this stack address still refers to the
 * record, directly or through other records.
 */
static int is_in_use(const struct tail_time *record, uint64_t stack)
{
	const struct tail_time *next = record_at(time_of(stack)->id);

	for (int i = 0; next && i <= TAILS_CHAIN_MAX; i++) {
		if (next == record)
			return 1;
		next = record_at(next->before.id);
	}
	return 0;
}

/*
 * Claims a record for a slot. Returns NULL if all records near the slot's hash
 * are in use. A record of this slot that is not in use was left by an earlier
 * call there. It belongs to the calling thread, like the slot, and may be
 * taken.
 */
struct tail_time *tail_time_take(uint64_t stack)
{
	const uint64_t home = stack * SPREAD >> (64 - RECORDS_LOG2);

	for (uint64_t i = 0; i < NEIGHBOURS; i++) {
		struct tail_time *record =
			&records[(home + i) % (1 << RECORDS_LOG2)];
		uint64_t owner =
			__atomic_load_n(&record->stack, __ATOMIC_ACQUIRE);

		if (owner && (owner != stack || is_in_use(record, owner)))
			continue;
		if (__atomic_compare_exchange_n(&record->stack, &owner, stack,
						0, __ATOMIC_ACQ_REL,
						__ATOMIC_RELAXED))
			return record;
	}
	return NULL;
}

void tail_time_give(struct tail_time *record)
{
	__atomic_store_n(&record->stack, 0, __ATOMIC_RELEASE);
}
