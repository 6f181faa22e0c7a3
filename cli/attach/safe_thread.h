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
	/* NULL before safe_places_find() and after safe_places_expire(). */
	const struct target_maps *maps;
	const struct target_mapping *loader, *libc;
	/* Contains the start of threads before glibc 2.34. */
	const struct target_mapping *libpthread;
	const struct target_mapping *own; /* Mapping of libclew.so. */
	pid_t pid;
	int memory; /* Descriptor of /proc/PID/mem. */
	struct avoided_function *avoided;
	size_t avoided_count, capacity;
	/* Modules whose functions were searched for `avoided`. */
	struct idmap modules;
	struct stack_reader reader;
};

/*
 * Finds the functions to avoid: functions of the mapped modules that may hold
 * locks of libc. A repeated call reads only the files of new modules. Skips
 * modules whose files cannot be opened. `memory` is the open /proc/PID/mem.
 * Zero-initialize *places before the first call.
 */
void safe_places_find(struct safe_places *places, pid_t pid, int memory,
		      const struct target_maps *maps);

/*
 * Must be called when the mappings are read again: forgets pointers into the
 * former ones.
 */
void safe_places_expire(struct safe_places *places);

void safe_places_fini(struct safe_places *places);

/*
 * Returns whether a call is possible on the stack of a stopped thread. The
 * stack must be the one that the kernel or libc created for the thread, and
 * have `bytes` bytes left or be able to grow by them. The thread must be in
 * code of a mapped file other than libclew.so, or of the vDSO. No signal of a
 * fault may be pending.
 */
int safe_thread_has_room(const struct safe_places *places,
			 const struct tracee *thread, size_t bytes);

/*
 * Forks the worker that safe_thread_is_outside() needs. Called before the
 * thread is stopped, and after safe_places_find(). Returns 0, or -errno and
 * *why.
 */
int safe_thread_prepare(struct safe_places *places, char **why);

/*
 * Returns 1 if a call of libc's functions is safe in the stopped thread: its
 * stack shows no function to avoid, no code of the loader, and at least one
 * function outside libc. Returns 0 if not, also if the stack cannot be unwound
 * to its end; or -errno and *why. A worker reads the stack
 * (cli/attach/stack_reader.h).
 */
int safe_thread_is_outside(struct safe_places *places,
			   const struct tracee *thread, char **why);

/* Ends the worker. */
void safe_thread_end(struct safe_places *places);

#endif
