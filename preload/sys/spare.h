/* SPDX-License-Identifier: MIT */
/*
 * A cache of one unused piece of memory, so that most users need no system
 * call. It needs no lock, and any thread may use it.
 */
#ifndef CLEW_SYS_SPARE_H
#define CLEW_SYS_SPARE_H

#include <stdatomic.h>
#include <stddef.h>

#include "preload/sys/sys.h"

/*
 * Returns memory of this size, which must be the same in all calls for a cache.
 * It contains what its last user has left, or zeros. Returns NULL on failure.
 */
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
