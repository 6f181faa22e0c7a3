/* SPDX-License-Identifier: MIT */
/*
 * See held_locks.h. One table with a slot for each hold. A hold is in a window
 * that begins at a slot computed from its lock's address, in the first slot
 * that was free, so most searches read one slot. A slot is claimed by
 * compare-and-swap, then filled, then its key is stored: neither a handler that
 * interrupts this nor another thread sees an incomplete hold.
 *
 * Only the thread that holds an unshared lock writes its slot, if the program
 * follows the rules. Locks that are freed or moved to another process while
 * held leave a slot behind, which a later hold of that lock overwrites.
 */
#include "locks/held_locks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS      65536 /* a power of two */
#define WINDOW     16
#define PAGE       4096
#define MULTIPLIER UINT64_C(0x9e3779b97f4a7c15)

/*
 * Flags in the low bits of a slot's key, which are free because locks are
 * aligned.
 */
#define IS_SHARED UINT64_C(1)
#define CLAIMED   UINT64_C(2)

struct hold_slot {
	/* the lock's address and IS_SHARED; 0 if the slot is free */
	_Atomic uint64_t key;
	/*
	 * this and the following members are written by the thread that claimed
	 * the slot
	 */
	uint64_t thread;
	uint64_t row, since_ns;
};

static _Alignas(PAGE) struct hold_slot slots[SLOTS];

/* Number of slots at the beginning of each window that were ever claimed. */
static _Atomic int slots_in_use;

static uint64_t key_of(const void *lock, int is_shared)
{
	return (uint64_t)(uintptr_t)lock | (is_shared ? IS_SHARED : 0);
}

/* Returns slot `number` of the lock's window. */
static struct hold_slot *slot_at(const void *lock, int number)
{
	const uint64_t home = (uint64_t)(uintptr_t)lock * MULTIPLIER >> 40;

	return &slots[(home + (uint64_t)number) & (SLOTS - 1)];
}

/*
 * Claims the first of `count` slots of the lock's window that has this key.
 * Returns NULL if there is none.
 */
static struct hold_slot *claim(const void *lock, uint64_t key, int count)
{
	for (int i = 0; i < count; i++) {
		struct hold_slot *slot = slot_at(lock, i);
		uint64_t there = key;
		int before;

		if (atomic_load_explicit(&slot->key, memory_order_relaxed) !=
			    key ||
		    !atomic_compare_exchange_strong_explicit(
			    &slot->key, &there, CLAIMED, memory_order_acquire,
			    memory_order_relaxed))
			continue;
		before = slots_in_use;
		while (before <= i && !atomic_compare_exchange_weak(
					      &slots_in_use, &before, i + 1))
			;
		return slot;
	}
	return NULL;
}

int held_locks_add(const struct held_lock *held)
{
	const uint64_t key = key_of(held->lock, held->is_shared);
	struct hold_slot *slot =
		held->is_shared ? NULL : claim(held->lock, key, slots_in_use);

	if (!slot)
		slot = claim(held->lock, 0, WINDOW);
	if (!slot)
		return 0;
	slot->thread = (uint64_t)pthread_self();
	slot->row = held->row;
	slot->since_ns = held->since_ns;
	atomic_store_explicit(&slot->key, key, memory_order_release);
	return 1;
}

/*
 * Finds a hold. An unshared hold has at most one slot, because add() overwrites
 * the slot with its key. For shared holds the thread's latest one counts.
 */
static struct hold_slot *find(const void *lock, int is_shared, int is_own)
{
	const uint64_t key = key_of(lock, is_shared);
	const uint64_t self = (uint64_t)pthread_self();
	const int count = slots_in_use;
	struct hold_slot *mine = NULL, *any = NULL;

	for (int i = 0; i < count; i++) {
		struct hold_slot *slot = slot_at(lock, i);

		if (atomic_load_explicit(&slot->key, memory_order_acquire) !=
		    key)
			continue;
		if (!any)
			any = slot;
		if (slot->thread == self &&
		    (!mine || slot->since_ns >= mine->since_ns))
			mine = slot;
		if (!is_shared)
			break;
	}
	return mine || is_own ? mine : any;
}

int held_locks_take(const void *lock, int is_shared, int is_own,
		    struct held_lock *out)
{
	struct hold_slot *slot = find(lock, is_shared, is_own);
	uint64_t key = key_of(lock, is_shared);
	struct held_lock held;

	if (!slot)
		return 0;
	held = (struct held_lock){ lock, is_shared, slot->row, slot->since_ns };
	if (!atomic_compare_exchange_strong_explicit(&slot->key, &key, 0,
						     memory_order_acq_rel,
						     memory_order_relaxed))
		return 0;
	*out = held;
	return 1;
}

/* By this advice the kernel replaces the pages by pages of zeros. */
void held_locks_clear(void)
{
	syscall(SYS_madvise, slots, sizeof(slots), MADV_DONTNEED);
}
