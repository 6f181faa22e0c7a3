/* SPDX-License-Identifier: MIT */
/*
 * The shadow of stacks that lie outside of the reserved range: it is mapped in
 * pieces when they are first needed (hot/shadow.h).
 */
#include <stdatomic.h>

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"
#include "preload/hot/sink.h"
#include "preload/hot/upcalls.h"
#include "preload/sys/sys.h"

/* A region's directory has one entry for each piece. */
#define DIRECTORY_BYTES                                                        \
	(sizeof(uint64_t) << (SHADOW_REGION_SHIFT - SHADOW_PIECE_SHIFT))

/*
 * Maps `bytes` and stores the address minus `bias` in an entry that is 0. If
 * another thread, or a signal handler, stores the entry first, the new memory
 * is unmapped again. Returns 0 or -errno.
 */
static int map_entry(_Atomic uint64_t *entry, uint64_t bytes, uint64_t bias)
{
	void *at =
		place_map(bytes, SYS_PROT_OURS,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	uint64_t none = 0, content = (uintptr_t)at - bias;

	if (sys_failed(at))
		return (int)(long)at;
	sys_madvise(at, bytes, MADV_DONTDUMP);
	if (content && atomic_compare_exchange_strong(entry, &none, content))
		return 0;
	sys_munmap(at, bytes);
	return content ? 0 : -EADDRINUSE;
}

int hot_map_shadow(uint64_t stack)
{
	const uint64_t region = stack >> SHADOW_REGION_SHIFT;
	const uint64_t start = stack >> SHADOW_PIECE_SHIFT
						<< SHADOW_PIECE_SHIFT;
	int err = 0;

	if (region >= SHADOW_REGION_COUNT)
		return -EINVAL;
	if (!hot_shadow_regions[region])
		err = map_entry(&hot_shadow_regions[region], DIRECTORY_BYTES,
				region * DIRECTORY_BYTES);
	if (err)
		return err;
	return map_entry(
		shadow_piece(stack),
		(UINT64_C(2) << SHADOW_PIECE_SHIFT) +
			sink_stack_bytes(UINT64_C(1) << SHADOW_PIECE_SHIFT),
		2 * start);
}
