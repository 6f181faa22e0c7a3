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
 * held leave a slot behind, which a later hold of that lock overwrites, unless
 * a slot before it in the window is free.
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

int held_locks_add(const struct held_lock *held)
{
	const uint64_t key = key_of(held->lock, held->is_shared);

	for (int i = 0; i < WINDOW; i++) {
		struct hold_slot *slot = slot_at(held->lock, i);
		uint64_t there =
			atomic_load_explicit(&slot->key, memory_order_relaxed);

		if (there != (held->is_shared ? 0 : key) && there != 0)
			continue;
		if (!atomic_compare_exchange_strong_explicit(
			    &slot->key, &there, CLAIMED, memory_order_acquire,
			    memory_order_relaxed))
			continue;
		slot->thread = (uint64_t)pthread_self();
		slot->row = held->row;
		slot->since_ns = held->since_ns;
		atomic_store_explicit(&slot->key, key, memory_order_release);
		return 1;
	}
	return 0;
}

/*
 * Finds a hold. An unshared hold has at most one valid slot, the first: add()
 * overwrites the first slot with its key. For shared holds the thread's latest
 * one counts.
 */
static struct hold_slot *find(const void *lock, int is_shared, int is_own)
{
	const uint64_t key = key_of(lock, is_shared);
	const uint64_t self = (uint64_t)pthread_self();
	struct hold_slot *mine = NULL, *any = NULL;

	for (int i = 0; i < WINDOW; i++) {
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
void held_locks_after_fork(void)
{
	syscall(SYS_madvise, slots, sizeof(slots), MADV_DONTNEED);
}
