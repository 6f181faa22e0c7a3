/* SPDX-License-Identifier: MIT */
/*
 * Frees the memory of a session after clew has detached: stubs, the records of
 * overwritten code, private copies of code pages that equal their files again,
 * and the recording's mapping.
 *
 * A return address that leads into a stub prevents that stub's pages from being
 * freed. Few exist: the controller has replaced all return addresses except
 * those of functions that displaced instructions have called. A later session
 * frees these pages when it ends.
 *
 * Configuration, modules and counts remain until the second session after this
 * one begins, because a thread may return from a function of libc into the
 * library and still read them.
 */
#ifndef CLEW_SESSION_RELEASE_H
#define CLEW_SESSION_RELEASE_H

#include "preload/hooking/cold.h"
#include "preload/patch/stacks.h"
#include "wire/attachment.h"

struct release {
	const struct wire_stopped *threads;
	uint64_t thread_count;
	/* Ranges of code pages that equal their files: from `at` to `value`. */
	const struct wire_stack_word *code;
	uint64_t code_count;
};

/*
 * Frees a session. The caller guarantees that all code is restored, all other
 * threads are stopped, and no thread is in a stub. This function makes system
 * calls only.
 */
void release_session(struct cold *cold, const struct stacks *stacks,
		     const struct release *with);

/* Frees a session that has overwritten no code. Other threads may run. */
void release_unused(struct cold *cold);

/*
 * Called when another session has begun after the session `former` (NULL: none)
 * has ended. Frees the session before `former`.
 */
void release_former(struct cold *former);

#endif
