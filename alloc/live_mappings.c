/* SPDX-License-Identifier: MIT */
/*
 * See live_mappings.h. Ranges that do not overlap, in an array in order of
 * address: programs have at most some thousands. An unmapped or replaced range
 * may be a part of one, or cover several.
 */
#include "alloc/live_mappings.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc/alloc_sites.h"
#include "alloc/patient_lock.h"

#define MAPPINGS_MAX 65536
#define PAGE         4096

struct live_mapping {
	uintptr_t start, end;
	uint64_t row;
};

static struct {
	struct patient_lock lock;
	size_t count;
	_Alignas(PAGE) struct live_mapping of[MAPPINGS_MAX];
} mappings;

/* Returns the index of the first range that ends after an address. */
static size_t first_behind(uintptr_t at)
{
	size_t low = 0, high = mappings.count;

	while (low < high) {
		const size_t middle = (low + high) / 2;

		if (mappings.of[middle].end <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Inserts a range at an index. Returns whether there was room. */
static int insert(size_t at, const struct live_mapping *mapping)
{
	if (mappings.count == MAPPINGS_MAX)
		return 0;
	memmove(&mappings.of[at + 1], &mappings.of[at],
		(mappings.count - at) * sizeof(*mappings.of));
	mappings.of[at] = *mapping;
	mappings.count++;
	return 1;
}

static void erase(size_t at)
{
	mappings.count--;
	memmove(&mappings.of[at], &mappings.of[at + 1],
		(mappings.count - at) * sizeof(*mappings.of));
}

/* Removes [start, end). Called under the lock. */
static void cut(uintptr_t start, uintptr_t end)
{
	size_t i = first_behind(start);

	while (i < mappings.count && mappings.of[i].start < end) {
		struct live_mapping *mapping = &mappings.of[i];
		const struct live_mapping was = *mapping;
		const uintptr_t from = was.start > start ? was.start : start;
		const uintptr_t to = was.end < end ? was.end : end;
		const struct live_mapping behind = { to, was.end, was.row };

		alloc_sites_map(was.row, 0, -(int64_t)(to - from));
		if (was.start < from) {
			mapping->end = from;
			i++;
			if (to < was.end && !insert(i, &behind)) {
				alloc_sites_map(was.row, 0,
						-(int64_t)(was.end - to));
				alloc_sites_miss();
			}
		} else if (to < was.end) {
			mapping->start = to;
		} else {
			erase(i);
			continue;
		}
		if (to < was.end)
			return;
	}
}

static uintptr_t end_of(const void *at, size_t bytes)
{
	return (uintptr_t)at + ((bytes + PAGE - 1) & ~(size_t)(PAGE - 1));
}

void live_mappings_add(const void *at, size_t bytes, uint64_t row)
{
	const struct live_mapping mapping = { (uintptr_t)at, end_of(at, bytes),
					      row };

	if (patient_lock_take(&mappings.lock) != 0) {
		alloc_sites_miss();
		return;
	}
	cut(mapping.start, mapping.end);
	if (insert(first_behind(mapping.start), &mapping))
		alloc_sites_map(row, 1, (int64_t)(mapping.end - mapping.start));
	else
		alloc_sites_miss();
	patient_lock_release(&mappings.lock);
}

int live_mappings_hold(void)
{
	const int saved = errno;
	const int is_held = patient_lock_take(&mappings.lock) == 0;

	if (!is_held)
		alloc_sites_miss();
	errno = saved;
	return is_held;
}

void live_mappings_release(const void *at, size_t bytes)
{
	const int saved = errno;

	if (bytes > 0)
		cut((uintptr_t)at, end_of(at, bytes));
	patient_lock_release(&mappings.lock);
	errno = saved;
}

void live_mappings_clear(int may_wait)
{
	if ((may_wait ? patient_lock_take(&mappings.lock)
		      : patient_lock_try(&mappings.lock)) != 0)
		return;
	mappings.count = 0;
	syscall(SYS_madvise, mappings.of, sizeof(mappings.of), MADV_DONTNEED);
	patient_lock_release(&mappings.lock);
}

void live_mappings_before_fork(void)
{
	patient_lock_before_fork(&mappings.lock);
}

void live_mappings_after_fork(int is_child)
{
	if (is_child && patient_lock_is_for_fork(&mappings.lock))
		mappings.count = 0;
	patient_lock_after_fork(&mappings.lock);
}
