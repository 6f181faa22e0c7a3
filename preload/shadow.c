/* SPDX-License-Identifier: MIT */
#include "preload/shadow.h"

#include "preload/hot/count.h"
#include "preload/hot/shadow.h"
#include <stdatomic.h>

#include "preload/sys.h"

static void *reserve(void *hint, uint64_t bytes, int flags)
{
	void *at = sys_mmap(hint, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags,
			    -1, 0);

	if (!sys_failed(at))
		sys_madvise(at, bytes, MADV_DONTDUMP);
	return at;
}

int shadow_reserve(void)
{
	void *base = (void *)(uintptr_t)SHADOW_BASE;
	void *at = reserve(base, SHADOW_BYTES, MAP_FIXED_NOREPLACE);

	if (sys_failed(at))
		return (int)(long)at;
	if (at == base)
		return 0;
	sys_munmap(at, SHADOW_BYTES);
	return -EEXIST;
}

int hot_map_region(uint64_t stack)
{
	_Atomic uint64_t *region;
	uint64_t none = 0;
	void *at;

	if (stack >> SHADOW_REGION_SHIFT >= SHADOW_REGION_COUNT)
		return -EINVAL;
	at = reserve(NULL, 2 * (SHADOW_REGION_MASK + 1), 0);
	if (sys_failed(at))
		return (int)(long)at;
	region = &hot_shadow_regions[stack >> SHADOW_REGION_SHIFT];
	if (!atomic_compare_exchange_strong(region, &none, (uintptr_t)at))
		sys_munmap(at, 2 * (SHADOW_REGION_MASK + 1));
	return 0;
}
