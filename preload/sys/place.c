/* SPDX-License-Identifier: MIT */
/* See place.h. */
#include "preload/sys/place.h"

#include <stdatomic.h>

#include "machine/address_space.h"
#include "preload/hot/places.h"
#include "preload/sys/sys.h"

#define RANGE_BYTES (UINT64_C(1) << 40)
#define HEAP_ROOM   (UINT64_C(1) << 36)
/* how far to skip at a mapping that is not clew's */
#define SKIP_BYTES (UINT64_C(1) << 30)
#define TRIES      16

static const uint64_t ranges[] = { OWN_PLACES, 0 };

extern char __bss_start[] __attribute__((visibility("hidden")));
extern char _end[] __attribute__((visibility("hidden")));

/*
 * Start of the range for clew's memory. Written once; 0 while the kernel
 * chooses addresses.
 */
static uint64_t range_start;
static _Atomic uint64_t next_place; /* written by any thread */

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

int place_is_in_way_of_heap(uint64_t start, uint64_t bytes)
{
	const uint64_t heap = (uint64_t)sys_call(SYS_brk, 0, 0, 0, 0, 0, 0);

	return start < heap + HEAP_ROOM && start + bytes > heap;
}

/*
 * Makes the library's variables unreadable, on pages that contain nothing else.
 */
static void hide_variables(void)
{
	const uint64_t start = whole_pages((uintptr_t)__bss_start);
	const uint64_t end = (uintptr_t)_end & ~(PAGE_BYTES - 1);

	sys_mprotect((void *)start, end - start, SYS_PROT_OURS);
}

void place_begin(void)
{
	const uint64_t *range = ranges;

	hide_variables();
	while (*range && place_is_in_way_of_heap(*range, RANGE_BYTES))
		range++;
	range_start = *range;
	next_place = *range;
}

/*
 * Takes the next `bytes` bytes of clew's range. Returns their address, or 0 if
 * they do not fit.
 */
static uint64_t take(uint64_t bytes)
{
	uint64_t at = next_place, next;

	if (bytes > RANGE_BYTES / 2)
		return 0;
	do
		next = at + bytes > range_start + RANGE_BYTES ? range_start
							      : at;
	while (!atomic_compare_exchange_weak(&next_place, &at, next + bytes));
	return next;
}

void *place_map(size_t bytes, int protection, int flags, int fd, off_t offset)
{
	const uint64_t whole = whole_pages(bytes);

	for (int i = 0; range_start && i < TRIES; i++) {
		void *at = (void *)take(whole), *got;

		if (!at)
			break;
		got = sys_mmap(at, bytes, protection,
			       flags | MAP_FIXED_NOREPLACE, fd, offset);
		if (got == at)
			return got;
		if (!sys_failed(got)) /* a kernel before 4.17 */
			sys_munmap(got, bytes);
		else if ((long)got != -EEXIST)
			return got;
		take(SKIP_BYTES);
	}
	return sys_mmap(NULL, bytes, protection, flags, fd, offset);
}

void place_note_unmapped(const void *address, size_t bytes)
{
	const uint64_t at = (uintptr_t)address;
	uint64_t next = at + whole_pages(bytes);

	if (range_start)
		atomic_compare_exchange_strong(&next_place, &next, at);
}
