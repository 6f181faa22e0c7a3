/* SPDX-License-Identifier: MIT */
/*
 * A process that runs already, by what /proc says of it.
 */
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
	uint64_t offset; /* in the file, */
	uint64_t inode;  /* which is this one; 0: there is none */
	int is_executable, is_writable;
	int is_deleted; /* its file has that name no more */
	int is_hooked;  /* clew's copy is mapped in its place; or 0 */
	/* A mapping of the module's own file: this one, or of its variables. */
	uint64_t file_start, file_end;
	char *path; /* "" where there is none */
};

struct target_maps {
	struct target_mapping *items;
	size_t count, capacity;
};

/* Parses a file in the format of /proc/PID/maps. */
void target_parse_maps(FILE *file, struct target_maps *maps);

/*
 * What follows a refusal by the kernel to look into a process: who may. "" for other
 * errors.
 */
const char *target_permission_hint(int err);

/* 0, or -errno and what it means in *why, which is to be freed. */
int target_read_maps(pid_t pid, struct target_maps *maps, char **why);
void target_free_maps(struct target_maps *maps);

/* The mapping that has the address, or NULL. */
const struct target_mapping *target_find(const struct target_maps *maps,
					 uint64_t at);

/*
 * The first mapping of the loaded file of that name (without a folder); if none is, of
 * whichever there is, or NULL.
 */
const struct target_mapping *target_module(const struct target_maps *maps,
					   const char *name);

/*
 * Copies code of a module as it is in the module's file, without hooks. 0 or -errno.
 */
int target_code(pid_t pid, const struct target_mapping *module, uint64_t at,
		void *out, size_t bytes);

/*
 * The file of a module, by its first mapping, as it is mapped, also where another has
 * its name by now. 0, or -errno.
 */
int target_open_module(pid_t pid, const struct target_mapping *module,
		       struct image *image);

/* What is added to its addresses, by its first mapping and its file. */
uint64_t target_base(const struct target_mapping *module,
		     const struct image *image);

/*
 * Where a module, by its first mapping, has a symbol; 0: it has none. By the file
 * that is mapped.
 */
uint64_t target_symbol(pid_t pid, const struct target_mapping *module,
		       const char *name);

/* Where bytes stand in the executable segments of a module; 0: nowhere. */
uint64_t target_bytes(pid_t pid, const struct target_mapping *module,
		      const void *bytes, size_t count);

/* A number from /proc/PID/status, in that base; -1: it is not there. */
int64_t target_status(pid_t pid, const char *name, int base);

/* How long its first thread's stack may be: UINT64_MAX where nothing limits it. */
uint64_t target_stack_limit(pid_t pid);

/* The letter that /proc has for a thread's state; 0: it is not there. */
char target_thread_state(pid_t pid, pid_t tid);

/* When the process began, in ticks since boot; 0: it is not there. */
uint64_t target_start(pid_t pid);

/* The same of the process that has this id in the /proc of `pid`'s root directory. */
uint64_t target_start_within(pid_t pid, pid_t own);

/* Another value for each program that the process executes; 0: it cannot be seen. */
uint64_t target_program_mark(pid_t pid);

/* Whether it is one of the kernel's threads, by their mark in /proc. */
int target_is_of_kernel(pid_t pid);

/* What a process calls itself, as it can be shown; for free(). NULL: it is not there. */
char *target_name(pid_t pid);

/* Whether a thread has ended, or all but. */
int target_thread_is_going(pid_t pid, pid_t tid);

/* Whether a process has ended, or is about to, and has no memory any more. */
int target_has_ended(pid_t pid);

/* How many threads; their ids, for free(), in *tids. */
size_t target_threads(pid_t pid, pid_t **tids);

#endif
