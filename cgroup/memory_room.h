/* SPDX-License-Identifier: MIT */
/*
 * Finds how much memory a process can still use before the kernel kills or
 * slows down processes of its control group, or the system has none left.
 *
 * The search covers the process's group and each visible group above it:
 * memory.max and memory.high (version 2), memory.limit_in_bytes (version 1,
 * also beside a hierarchy of version 2 without a memory controller). The system
 * itself counts as a group whose limit is its memory. File pages that the
 * kernel can drop without writing them count as free.
 *
 * Uses no libc functions: the library calls it between two instructions of the
 * program (preload/record/memory_bound.h), `clew attach` from outside.
 */
#ifndef CLEW_CGROUP_MEMORY_ROOM_H
#define CLEW_CGROUP_MEMORY_ROOM_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_ROOM_PATH 1024

/*
 * The caller's system calls. Each returns a descriptor, a number of bytes, or a
 * negative number.
 */
struct memory_room_files {
	int (*open)(const char *path);
	long (*read)(int fd, void *out, size_t bytes);
	void (*close)(int fd);
};

/* The group that leaves the least memory. */
struct memory_room {
	uint64_t limit; /* limit of the group, in bytes */
	/*
	 * bytes of the limit that are unused or can be freed by dropping pages
	 */
	uint64_t left;
	uint64_t to_take; /* `left` without memory_room_reserve() */
	/* name of the file with the limit; NULL for the system's memory */
	const char *file;
	/* The group's name in /proc/PID/cgroup, perhaps cut. */
	char group[MEMORY_ROOM_PATH];
};

/*
 * The state of a search. The caller allocates it, because the program's stacks
 * may be small.
 */
struct memory_room_search {
	const struct memory_room_files *files;
	const char *root; /* prefix of all paths: "", or a folder for tests */
	struct memory_room found;
	/* The following members are used by memory_room.c only. */
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
 * Returns the amount that stays reserved for the program: an eighth of the
 * limit, at most 256 MiB.
 */
uint64_t memory_room_reserve(uint64_t limit);

/*
 * Finds the room of a process, "self" or its pid, in search->found; set `files`
 * and `root` before. Unreadable files are skipped; without any limit, `limit`
 * is UINT64_MAX.
 */
void memory_room_find(struct memory_room_search *search, const char *process);

#endif
