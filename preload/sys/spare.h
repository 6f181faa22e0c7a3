/* SPDX-License-Identifier: MIT */
/*
 * One piece of memory that nobody uses just now, so that most who want one for a
 * while need none of the system's. Any thread, without a lock.
 */
#ifndef CLEW_SYS_SPARE_H
#define CLEW_SYS_SPARE_H

#include <stdatomic.h>
#include <stddef.h>

#include "preload/sys/sys.h"

/* Of that size, always the same; with what its last user left, or zeroed. Or NULL. */
static inline void *spare_take(void *_Atomic *spare, size_t bytes)
{
	void *memory = atomic_exchange(spare, NULL);

	if (memory)
		return memory;
	memory = sys_map_private(bytes);
	return sys_failed(memory) ? NULL : memory;
}

static inline void spare_give_back(void *_Atomic *spare, void *memory,
				   size_t bytes)
{
	void *other = atomic_exchange(spare, memory);

	if (other)
		sys_munmap(other, bytes);
}

#endif
