/* SPDX-License-Identifier: MIT */
/*
 * See live_blocks.h. Tables by address: open addressing, at most three quarters
 * full. When a block is removed, following blocks move up, so no marker is
 * left. There are several tables, each with a lock, so that threads seldom
 * wait; the memory is mapped by system calls.
 */
#include "alloc/live_blocks.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc/patient_lock.h"

#define TABLES      64
#define FIRST_SLOTS 1024
#define MULTIPLIER  UINT64_C(0x9e3779b97f4a7c15)

struct block_table {
	struct patient_lock lock;
	struct live_block *slots;
	/* number of blocks; number of slots, a power of two or 0 */
	size_t count, room;
} __attribute__((aligned(64)));

static struct block_table tables[TABLES];

static uint64_t hash_of(uintptr_t at)
{
	return at * MULTIPLIER;
}

static struct block_table *table_of(uintptr_t at)
{
	return &tables[hash_of(at) >> 58];
}

static size_t home_of(const struct block_table *table, uintptr_t at)
{
	return hash_of(at) >> 20 & (table->room - 1);
}

static struct live_block *slot_of(const struct block_table *table, uintptr_t at)
{
	size_t i = home_of(table, at);

	while (table->slots[i].at && table->slots[i].at != at)
		i = (i + 1) & (table->room - 1);
	return &table->slots[i];
}

/* Uses system calls, because mmap() has a front. */
static struct live_block *take_slots(size_t room)
{
	const long pages = syscall(
		SYS_mmap, NULL, room * sizeof(struct live_block),
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);

	return pages == -1 ? NULL : (struct live_block *)pages;
}

static void give_slots(struct block_table *table)
{
	if (table->room)
		syscall(SYS_munmap, table->slots,
			table->room * sizeof(struct live_block));
}

static void clear(struct block_table *table)
{
	give_slots(table);
	table->room = table->count = 0;
}

static int make_room(struct block_table *table)
{
	struct block_table wider = *table;

	if (table->room && table->count + 1 <= table->room / 4 * 3)
		return 0;
	wider.room = table->room ? 2 * table->room : FIRST_SLOTS;
	wider.slots = take_slots(wider.room);
	if (!wider.slots)
		return -ENOMEM;
	for (size_t i = 0; i < table->room; i++)
		if (table->slots[i].at)
			*slot_of(&wider, table->slots[i].at) = table->slots[i];
	give_slots(table);
	table->slots = wider.slots;
	table->room = wider.room;
	return 0;
}

int live_blocks_add(const struct live_block *block)
{
	struct block_table *table = table_of(block->at);
	struct live_block *slot;
	int err = patient_lock_take(&table->lock);

	if (err)
		return err;
	err = make_room(table);
	if (!err) {
		slot = slot_of(table, block->at);
		table->count += slot->at == 0;
		*slot = *block;
	}
	patient_lock_release(&table->lock);
	return err;
}

/*
 * Closes the gap: a following block moves up if a search from its home would
 * meet the gap.
 */
static void remove_slot(struct block_table *table, size_t gap)
{
	const size_t mask = table->room - 1;

	for (size_t i = (gap + 1) & mask; table->slots[i].at;
	     i = (i + 1) & mask) {
		const size_t home = home_of(table, table->slots[i].at);

		if (((i - home) & mask) >= ((i - gap) & mask)) {
			table->slots[gap] = table->slots[i];
			gap = i;
		}
	}
	table->slots[gap] = (struct live_block){ 0 };
	table->count--;
}

int live_blocks_take(const void *at, struct live_block *out)
{
	struct block_table *table = table_of((uintptr_t)at);
	struct live_block *slot;
	int is_there;

	if (patient_lock_take(&table->lock) != 0)
		return -EBUSY;
	slot = table->room ? slot_of(table, (uintptr_t)at) : NULL;
	is_there = slot && slot->at;
	if (is_there) {
		*out = *slot;
		remove_slot(table, (size_t)(slot - table->slots));
	}
	patient_lock_release(&table->lock);
	return is_there;
}

void live_blocks_clear(int may_wait)
{
	for (int i = 0; i < TABLES; i++) {
		struct patient_lock *lock = &tables[i].lock;

		if ((may_wait ? patient_lock_take(lock)
			      : patient_lock_try(lock)) != 0)
			continue;
		clear(&tables[i]);
		patient_lock_release(lock);
	}
}

void live_blocks_before_fork(void)
{
	for (int i = 0; i < TABLES; i++)
		patient_lock_before_fork(&tables[i].lock);
}

void live_blocks_after_fork(int is_child)
{
	for (int i = 0; i < TABLES; i++) {
		if (is_child && patient_lock_is_for_fork(&tables[i].lock))
			clear(&tables[i]);
		patient_lock_after_fork(&tables[i].lock);
	}
}
