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
	uint64_t offset; /* Offset in the file. */
	uint64_t inode;  /* Inode of the file; 0: no file is mapped. */
	int is_executable, is_writable;
	/* The file was deleted or replaced since it was mapped. */
	int is_deleted;
	/* A copy of the file with hooks is mapped, which clew has written. */
	int is_hooked;
	/*
	 * Addresses of a mapping of the module's own file: of this mapping or,
	 * if is_hooked and one is found, of the module's data.
	 */
	uint64_t file_start, file_end;
	char *path; /* Path of the file; "" if there is none. */
};

struct target_maps {
	struct target_mapping *items;
	size_t count, capacity;
};

/*
 * Parses a file in the format of /proc/PID/maps. The caller calls
 * target_free_maps().
 */
void target_parse_maps(FILE *file, struct target_maps *maps);

/*
 * Returns a constant text for messages that says who may access a process, if
 * err is a permission error (negative); "" for other errors.
 */
const char *target_permission_hint(int err);

/*
 * Reads the mappings of a process. Returns 0, and the caller calls
 * target_free_maps(); or -errno and *why.
 */
int target_read_maps(pid_t pid, struct target_maps *maps, char **why);
void target_free_maps(struct target_maps *maps);

/* Returns the mapping that contains the address, or NULL. */
const struct target_mapping *target_find(const struct target_maps *maps,
					 uint64_t at);

/* The soname of the C library. */
#define TARGET_LIBC "libc.so.6"

/*
 * Returns the first mapping of a file with this name (without a folder) that
 * the loader has mapped. If the loader has mapped no such file, returns the
 * first other mapping of a file with this name, or NULL. Sonames of glibc also
 * match the files of its older versions (image/glibc_file.h).
 */
const struct target_mapping *target_module(const struct target_maps *maps,
					   const char *name);

/*
 * Copies code of a module from the module's file, which has no hooks. `at` is
 * the code's address in the process. Returns 0 or -errno.
 */
int target_code(pid_t pid, const struct target_mapping *module, uint64_t at,
		void *out, size_t bytes);

/*
 * Opens the file of a module, of which `module` is the first mapping. Returns
 * 0, and the caller calls image_close(); or -errno, for example -ESTALE if the
 * file was deleted or replaced and clew may not open the mapped file.
 */
int target_open_module(pid_t pid, const struct target_mapping *module,
		       struct image *image);

/*
 * Returns the module's load bias: the number to be added to addresses in its
 * file to get those in the process. `module` is the first mapping of the file
 * `image`. Returns 0 if the file has no segment to load.
 */
uint64_t target_base(const struct target_mapping *module,
		     const struct image *image);

/*
 * Returns the address in the process of a module's symbol, or 0. Reads the
 * symbols from the module's file.
 */
uint64_t target_symbol(pid_t pid, const struct target_mapping *module,
		       const char *name);

/*
 * Returns the address in the process of the first occurrence of `bytes` in the
 * executable segments of a module, or 0. Searches the module's file, at most 1
 * GiB of it.
 */
uint64_t target_bytes(pid_t pid, const struct target_mapping *module,
		      const void *bytes, size_t count);

/*
 * Returns the number in the line `name` of /proc/PID/status, or -1. `base` is
 * 10 or 16.
 */
int64_t target_status(pid_t pid, const char *name, int base);

/*
 * Returns the limit in bytes of the first thread's stack; UINT64_MAX:
 * unlimited; 0: unknown.
 */
uint64_t target_stack_limit(pid_t pid);

/* Returns the letter that /proc has for a thread's state, or 0. */
char target_thread_state(pid_t pid, pid_t tid);

/* Returns the start time of the process in ticks since boot, or 0. */
uint64_t target_start(pid_t pid);

/*
 * Like target_start(), for the process that has the id `own` in the /proc of
 * the root directory of process `pid`.
 */
uint64_t target_start_within(pid_t pid, pid_t own);

/*
 * Returns a number that changes when the process executes another program,
 * unless addresses are not randomized; 0 if it cannot be read.
 */
uint64_t target_program_mark(pid_t pid);

/* Returns whether the process is a thread of the kernel. */
int target_is_of_kernel(pid_t pid);

/*
 * Returns the name that the process has in /proc, printable, or NULL. The
 * caller frees it.
 */
char *target_name(pid_t pid);

/* Returns whether a thread has exited, or is a zombie. */
int target_thread_is_going(pid_t pid, pid_t tid);

/*
 * Returns whether a process has exited, or is exiting and has already lost its
 * memory.
 */
int target_has_ended(pid_t pid);

/*
 * Returns the number of threads and stores their ids in *tids, which the caller
 * frees. Returns 0 and NULL if the process does not exist.
 */
size_t target_threads(pid_t pid, pid_t **tids);

#endif
