/* SPDX-License-Identifier: MIT */
/*
 * How much memory a process may still take before the kernel kills a process of
 * its control group, or the machine has none left.
 *
 * The search covers the process's group and each group above it that is visible
 * here: memory.max and memory.high (version 2), memory.limit_in_bytes (version
 * 1, also beside a hierarchy of version 2 that has no memory controller). The
 * machine itself counts as one more group, whose limit is its memory. File pages
 * that the kernel can drop without writing them first count as free.
 *
 * No libc: the runtime asks between two instructions of the program
 * (preload/record/memory_bound.h), `clew attach` from outside.
 */
#ifndef CLEW_CGROUP_MEMORY_ROOM_H
#define CLEW_CGROUP_MEMORY_ROOM_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_ROOM_PATH 1024

/* System calls, as the caller makes them: a descriptor, bytes, or negative. */
struct memory_room_files {
	int (*open)(const char *path);
	long (*read)(int fd, void *out, size_t bytes);
	void (*close)(int fd);
};

/* The group that leaves least to take. */
struct memory_room {
	uint64_t limit;   /* bytes */
	uint64_t left;    /* of these, not in use or can be dropped */
	uint64_t to_take; /* of these, without memory_room_reserve() */
	const char *
		file; /* that has the limit; NULL: it is the machine's memory */
	char group
		[MEMORY_ROOM_PATH]; /* as /proc/PID/cgroup names it, cut if long */
};

/* The caller's memory, as the program's stacks may be small. */
struct memory_room_search {
	const struct memory_room_files *files;
	const char *root; /* in front of all paths: "", or a folder of a test */
	struct memory_room found;
	/* Private: */
	int is_v2, has_group, has_mount, mount_fits;
	uint64_t *values;
	char group[MEMORY_ROOM_PATH];
	char mount[MEMORY_ROOM_PATH];
	char path[MEMORY_ROOM_PATH];
	char line[MEMORY_ROOM_PATH];
	char block[512];
	size_t mount_bytes, root_bytes;
};

/*
 * What a program is left with, however much clew could use: an eighth of the
 * limit, at most 256 MiB.
 */
uint64_t memory_room_reserve(uint64_t limit);

/*
 * Finds the room of a process, "self" or its id, in search->found; `files` and
 * `root` are set. What cannot be read is passed over: without any limit, `limit`
 * is UINT64_MAX.
 */
void memory_room_find(struct memory_room_search *search, const char *process);

#endif
