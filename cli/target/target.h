/* SPDX-License-Identifier: MIT */
/* Reads the state of a running process from /proc. */
#ifndef CLEW_CLI_TARGET_TARGET_H
#define CLEW_CLI_TARGET_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "cli/target/target_memory.h"

struct image;

struct target_mapping {
	uint64_t start, end;
	uint64_t offset; /* In the file. */
	uint64_t inode;  /* The file's inode; 0 if there is no file. */
	int is_executable, is_writable;
	int is_deleted; /* The file has been deleted or replaced. */
	int is_hooked;  /* The mapping is clew's hooked copy of the file. */
	/* A mapping of the module's own file: this one, or its data. */
	uint64_t file_start, file_end;
	char *path; /* "" if there is none. */
};

struct target_maps {
	struct target_mapping *items;
	size_t count, capacity;
};

/* Parses a file in the format of /proc/PID/maps. */
void target_parse_maps(FILE *file, struct target_maps *maps);

/*
 * Returns a hint who may read a process, for a permission error; "" for other
 * errors.
 */
const char *target_permission_hint(int err);

/* Returns 0, or -errno and *why, which the caller frees. */
int target_read_maps(pid_t pid, struct target_maps *maps, char **why);
void target_free_maps(struct target_maps *maps);

/* Returns the mapping that contains the address, or NULL. */
const struct target_mapping *target_find(const struct target_maps *maps,
					 uint64_t at);

/*
 * Returns the first mapping of a loaded file with this name (without a folder).
 * If the file is not loaded, any mapping of it, or NULL.
 */
const struct target_mapping *target_module(const struct target_maps *maps,
					   const char *name);

/*
 * Copies code of a module from the module's file, without hooks. Returns 0 or
 * -errno.
 */
int target_code(pid_t pid, const struct target_mapping *module, uint64_t at,
		void *out, size_t bytes);

/*
 * Opens the file of a module, by its first mapping, even if its path now names
 * another file. Returns 0 or -errno.
 */
int target_open_module(pid_t pid, const struct target_mapping *module,
		       struct image *image);

/*
 * Returns the offset between the module's addresses in the process and in its
 * file.
 */
uint64_t target_base(const struct target_mapping *module,
		     const struct image *image);

/*
 * Returns the address of a symbol of a module, found in the mapped file, or 0.
 */
uint64_t target_symbol(pid_t pid, const struct target_mapping *module,
		       const char *name);

/*
 * Returns the address of some bytes in the executable segments of a module, or
 * 0.
 */
uint64_t target_bytes(pid_t pid, const struct target_mapping *module,
		      const void *bytes, size_t count);

/* Returns a number from /proc/PID/status, or -1. */
int64_t target_status(pid_t pid, const char *name, int base);

/* Returns the limit of the first thread's stack, or UINT64_MAX. */
uint64_t target_stack_limit(pid_t pid);

/* Returns the letter that /proc has for a thread's state, or 0. */
char target_thread_state(pid_t pid, pid_t tid);

/* Returns the start time of the process in ticks since boot, or 0. */
uint64_t target_start(pid_t pid);

/*
 * Does the same for the process with the id `own` in the /proc of `pid`'s root
 * directory.
 */
uint64_t target_start_within(pid_t pid, pid_t own);

/*
 * Returns a number that changes when the process executes another program, or 0
 * if it is not visible.
 */
uint64_t target_program_mark(pid_t pid);

/* Returns whether the process is a kernel thread, by its flags in /proc. */
int target_is_of_kernel(pid_t pid);

/* Returns the process's own name, printable, or NULL. The caller frees it. */
char *target_name(pid_t pid);

/* Returns whether a thread has exited, or is a zombie. */
int target_thread_is_going(pid_t pid, pid_t tid);

/* Returns whether a process has exited or is exiting, without memory. */
int target_has_ended(pid_t pid);

/*
 * Returns the number of threads and stores their ids in *tids, which the caller
 * frees.
 */
size_t target_threads(pid_t pid, pid_t **tids);

#endif
