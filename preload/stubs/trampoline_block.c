/* SPDX-License-Identifier: MIT */
/* Maps the block of trampolines. See preload/stack/trampolines.h. */
#include "preload/stack/trampolines.h"
#include "preload/stubs/stub_memory.h"
#include "preload/sys/sys.h"

/*
 * Returns a free address range of 16 MiB for a block in clew's own range of
 * addresses, or 0. Another thread may map memory there before the caller does.
 */
static uint64_t find_place(void)
{
	const uint64_t bytes = 2 * TRAMPOLINE_BLOCK_BYTES;
	void *at =
		place_map(bytes, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(at))
		return 0;
	sys_munmap(at, bytes);
	return ((uintptr_t)at + TRAMPOLINE_BLOCK_BYTES - 1) &
	       ~(TRAMPOLINE_BLOCK_BYTES - 1);
}

static void *map_records(void)
{
	return place_map(TRAMPOLINE_RECORDS_BYTES, SYS_PROT_OURS,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void trampolines_reserve(void)
{
	void *records;
	uint64_t place;

	if (rt.trampolines)
		return;
	records = map_records();
	if (sys_failed(records))
		return;
	place = find_place();
	rt.trampoline_records = (uintptr_t)records;
	if (place && !stub_memory_reserve(place, IMAGE_OF_TRAMPOLINES)) {
		hot_windows[place >> WINDOW_SHIFT] = WINDOW_TRAMPOLINES;
		__atomic_store_n(&rt.trampolines, place, __ATOMIC_RELEASE);
	} else {
		sys_munmap(records, TRAMPOLINE_RECORDS_BYTES);
	}
}
