/* SPDX-License-Identifier: MIT */
/* See hook_room.h. */
#include "preload/hooking/hook_room.h"

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/record/memory_bound.h"
#include "preload/sys/mappings.h"
#include "preload/sys/sys.h"
#include "wire/hook_memory.h"

/*
 * Modules with fewer functions need no check, because their stubs take less
 * than half a megabyte.
 */
#define UNASKED 500
/* 1/MAPPINGS_PART of vm.max_map_count is reserved for the program. */
#define MAPPINGS_PART 32
/*
 * Memory for stubs is charged when they are created, except for 1/COMMIT_PART
 * of it, which is charged later, when the functions' code is overwritten.
 */
#define COMMIT_PART 4

static int count_one(void *count, const struct mapped_range *mapping)
{
	++*(uint64_t *)count;
	return 0;
}

/*
 * Returns the kernel's maximum number of mappings of a process
 * (vm.max_map_count), or UINT64_MAX if it cannot be read.
 */
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

/*
 * Returns whether the process may have `wanted` more mappings, and
 * 1/MAPPINGS_PART of the limit in reserve for the program, or whether that
 * cannot be found out. The mappings are counted once a pass, because that takes
 * milliseconds if there are thousands. The program is not expected to use up
 * the reserve during a pass.
 */
static int has_mappings(struct hook_room *room, uint64_t wanted)
{
	const uint64_t most = most_mappings();

	if (!room->mappings && mappings_each(count_one, &room->mappings) < 0) {
		room->mappings = 0;
		return 1;
	}
	return room->mappings + wanted + most / MAPPINGS_PART <= most;
}

static uint64_t bytes_of(uint64_t functions, int is_timed)
{
	return hook_memory(functions, 0, is_timed).bytes -
	       HOOK_MEMORY_LIBRARY_BYTES;
}

static int has_room(struct hook_room *room, uint64_t functions,
		    int is_before_main)
{
	const int is_timed = rt.config->time == WIRE_TIME_EXACT;
	const uint64_t others = room->functions;
	const struct hook_memory all =
		hook_memory(functions + others, 0, is_timed);

	return memory_bound_allows(bytes_of(functions, is_timed) +
				   bytes_of(others, is_timed) / COMMIT_PART) &&
	       (is_before_main ||
		has_mappings(room, all.mappings - HOOK_MEMORY_MAPPINGS));
}

int hook_room_take(struct hook_room *room, uint64_t functions,
		   int is_before_main)
{
	if (functions >= UNASKED && !has_room(room, functions, is_before_main))
		return 0;
	room->functions += functions;
	return 1;
}

int hook_room_has_mappings(uint64_t wanted)
{
	struct hook_room room = { 0 };

	return has_mappings(&room, wanted);
}
