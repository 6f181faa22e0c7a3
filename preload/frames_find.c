/* SPDX-License-Identifier: MIT */
/*
 * In front of the loader's _dl_find_object: unwinders ask it where a pc's
 * unwind information is, private copies in executables linked with
 * -static-libgcc included, which no registration would reach.
 */
#include <dlfcn.h>

#include "preload/cold.h"
#include "preload/frames.h"
#include "preload/hot/runtime.h"
#include "preload/next.h"

static const struct window_block *find_block(uint64_t pc)
{
	const struct windows *windows;

	if (!rt.windows || !runtime_is_stub(pc))
		return NULL;
	windows = &rt.cold->windows;
	for (uint32_t i = 0; i < windows->block_count; i++)
		if (pc - windows->blocks[i].start < WINDOW_BLOCK_BYTES)
			return &windows->blocks[i];
	return NULL;
}

EXPORT int _dl_find_object(void *pc, struct dl_find_object *result)
{
	const struct window_block *block = find_block((uintptr_t)pc);

	if (!block || !block->frames)
		return NEXT(_dl_find_object) ? NEXT(_dl_find_object)(pc, result)
					     : -1;
	*result = (struct dl_find_object){
		.dlfo_map_start = (void *)block->start,
		.dlfo_map_end = (void *)(block->start + WINDOW_BLOCK_BYTES),
		.dlfo_eh_frame = block->frames->header,
	};
	return 0;
}
