/* SPDX-License-Identifier: MIT */
/*
 * Finds threads of another process in which functions of libc can be called,
 * because their stacks show that they hold none of libc's locks.
 */
#ifndef CLEW_CLI_ATTACH_SAFE_THREAD_H
#define CLEW_CLI_ATTACH_SAFE_THREAD_H

#include "base/idmap.h"
#include "cli/attach/stack_reader.h"
#include "cli/attach/tracer.h"
#include "cli/target/target.h"

struct safe_places {
	const struct target_maps *maps; /* NULL: unknown. */
	const struct target_mapping *loader, *libc;
	const struct target_mapping *own; /* Mapping of libclew.so. */
	pid_t pid;
	int memory; /* Descriptor of /proc/PID/mem. */
	struct avoided_function *avoided;
	size_t avoided_count, capacity;
	/* Modules whose functions are in the list above. */
	struct idmap modules;
	struct stack_reader reader;
};

/*
 * Finds the functions to avoid, in the mapped modules. A repeated call reads
 * only the files of new modules. Zero-initialize *places before the first call.
 */
void safe_places_find(struct safe_places *places, pid_t pid, int memory,
		      const struct target_maps *maps);

/* Must be called when the mappings have been read again. */
void safe_places_expire(struct safe_places *places);

void safe_places_fini(struct safe_places *places);

/*
 * Returns whether the stopped thread is on the stack that libc created for it,
 * with `bytes` left, runs code of the program or of libc, and has no pending
 * fault.
 */
int safe_thread_has_room(const struct safe_places *places,
			 const struct tracee *thread, size_t bytes);

/*
 * Forks the worker of safe_thread_is_outside() before the thread is stopped.
 * Call it after safe_places_find(). Returns 0, or -errno and *why.
 */
int safe_thread_prepare(struct safe_places *places, char **why);

/*
 * Returns 1 if the stopped thread is in no function to avoid, 0 if it is in
 * one, or -errno and *why. A worker reads the stack
 * (cli/attach/stack_reader.h).
 */
int safe_thread_is_outside(struct safe_places *places,
			   const struct tracee *thread, char **why);

/* Ends the worker. */
void safe_thread_end(struct safe_places *places);

#endif
