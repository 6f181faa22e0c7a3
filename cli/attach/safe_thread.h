/* SPDX-License-Identifier: MIT */
/*
 * A thread of another process in which functions of libc can be called, for it
 * holds none of libc's locks: what it is doing is told by its stack.
 */
#ifndef CLEW_CLI_ATTACH_SAFE_THREAD_H
#define CLEW_CLI_ATTACH_SAFE_THREAD_H

#include "base/idmap.h"
#include "cli/attach/stack_reader.h"
#include "cli/attach/tracer.h"
#include "cli/target/target.h"

struct safe_places {
	const struct target_maps *maps; /* NULL: not known */
	const struct target_mapping *loader, *libc;
	const struct target_mapping *own; /* of libclew.so */
	pid_t pid;
	int memory; /* of /proc/PID/mem */
	struct avoided_function *avoided;
	size_t avoided_count, capacity;
	struct idmap modules; /* whose functions are in the list above */
	struct stack_reader reader;
};

/*
 * Finds the functions that are to be avoided, by what is mapped. If these places were
 * found before, by other mappings, it reads the files of new modules alone; if by the
 * same, none. Zero-initialise before the first call.
 */
void safe_places_find(struct safe_places *places, pid_t pid, int memory,
		      const struct target_maps *maps);

/* What is mapped has been read again. */
void safe_places_expire(struct safe_places *places);

void safe_places_fini(struct safe_places *places);

/*
 * Whether the stopped thread is on the stack that libc has made for it, with so
 * much of it left, and runs the program's or libc's code, not about to be told of a
 * fault.
 */
int safe_thread_has_room(const struct safe_places *places,
			 const struct tracee *thread, size_t bytes);

/*
 * Forks the worker of safe_thread_is_outside(), so that the thread need not wait for that.
 * Call it after safe_places_find(). Returns 0, or -errno and *why.
 */
int safe_thread_prepare(struct safe_places *places, char **why);

/*
 * Returns 1 if none of the functions of that stopped thread is one to be avoided, or 0, by a
 * worker that reads its stack (cli/attach/stack_reader.h); or -errno and *why.
 */
int safe_thread_is_outside(struct safe_places *places,
			   const struct tracee *thread, char **why);

/* Ends the worker. */
void safe_thread_end(struct safe_places *places);

#endif
