/* SPDX-License-Identifier: MIT */
#include "preload/stub_memory.h"
#include "preload/sys.h"
#include "preload/trampolines.h"

/* Where nothing is: as good a place as any, if nobody is faster. */
static uint64_t find_place(void)
{
	void *at = sys_mmap(NULL, TRAMPOLINE_BLOCK_BYTES, PROT_NONE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (sys_failed(at))
		return 0;
	sys_munmap(at, TRAMPOLINE_BLOCK_BYTES);
	return (uintptr_t)at;
}

static void *map_records(void)
{
	return place_map(TRAMPOLINE_BLOCK_BYTES, SYS_PROT_OURS,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

void trampolines_reserve(const char *part_path)
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
	if (place && stub_memory_map(part_path, place, IMAGE_OF_TRAMPOLINES))
		__atomic_store_n(&rt.trampolines, place, __ATOMIC_RELEASE);
	else
		sys_munmap(records, TRAMPOLINE_BLOCK_BYTES);
}
