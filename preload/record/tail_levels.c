/* SPDX-License-Identifier: MIT */
/*
 * Memory for the tables of contexts that are reached by tail calls
 * (hot/tails.h).
 */
#include <stddef.h>

#include "preload/hot/runtime.h"
#include "preload/hot/upcalls.h"
#include "preload/record/memory_bound.h"
#include "preload/sys/sys.h"

void *hot_map_tails(uint64_t bytes)
{
	void *memory;

	if (runtime_is_filtered() || memory_bound_take(bytes))
		return NULL;
	memory = sys_map_private(bytes);
	if (!sys_failed(memory))
		return memory;
	memory_bound_give(bytes);
	return NULL;
}

void hot_unmap_tails(void *memory, uint64_t bytes)
{
	sys_munmap(memory, bytes);
	memory_bound_give(bytes);
}
