/* SPDX-License-Identifier: MIT */
#include "preload/hook_room.h"

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/record/memory_bound.h"
#include "preload/sys/mappings.h"
#include "preload/sys/sys.h"
#include "wire/hook_memory.h"

#define UNASKED       500 /* functions, which take half a megabyte */
#define MAPPINGS_PART 32  /* of vm.max_map_count stay the program's */
#define COMMIT_PART                                                            \
	4 /* of its memory a function takes when it is written over */

static int count_one(void *count, const struct mapped_range *mapping)
{
	++*(uint64_t *)count;
	return 0;
}

/* UINT64_MAX where the kernel does not say. */
static uint64_t most_mappings(void)
{
	char text[24];
	const int fd =
		sys_open("/proc/sys/vm/max_map_count", O_RDONLY | O_CLOEXEC, 0);
	const long bytes = fd < 0 ? 0 : sys_read(fd, text, sizeof(text));
	uint64_t most = 0;

	if (fd >= 0)
		sys_close(fd);
	for (long i = 0; i < bytes && text[i] >= '0' && text[i] <= '9'; i++)
		most = most * 10 + (uint64_t)(text[i] - '0');
	return most ? most : UINT64_MAX;
}

static int has_mappings(uint64_t wanted)
{
	const uint64_t most = most_mappings();
	uint64_t count = 0;

	return mappings_each(count_one, &count) < 0 ||
	       count + wanted + most / MAPPINGS_PART <= most;
}

int hook_room_allows(uint64_t functions, uint64_t prepared, int is_before_main)
{
	const int is_timed = rt.config->time == WIRE_TIME_EXACT;
	const struct hook_memory need = hook_memory(functions, 0, is_timed);
	const struct hook_memory others = hook_memory(prepared, 0, is_timed);

	if (functions < UNASKED)
		return 1;
	return memory_bound_allows(need.bytes - HOOK_MEMORY_LIBRARY_BYTES +
				   (others.bytes - HOOK_MEMORY_LIBRARY_BYTES) /
					   COMMIT_PART) &&
	       (is_before_main ||
		has_mappings(need.mappings - HOOK_MEMORY_MAPPINGS));
}
