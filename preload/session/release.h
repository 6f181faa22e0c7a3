/* SPDX-License-Identifier: MIT */
/*
 * Gives back what a session has in a process that clew has left: stubs, the records
 * of what was written over code, pages of code that are as in their files again, and
 * the memory that the recording is mapped to.
 *
 * A return address that leads into a stub keeps the pages of that stub. There are few:
 * the controller has replaced all return addresses but those of functions that were
 * called by instructions which a hook displaced. These pages are given back at the end
 * of a later session.
 *
 * Configuration, modules and counts stay until the second next session begins, because
 * a thread may return into the library from a function of libc and still read them.
 */
#ifndef CLEW_SESSION_RELEASE_H
#define CLEW_SESSION_RELEASE_H

#include "preload/hooking/cold.h"
#include "preload/patch/stacks.h"
#include "wire/attachment.h"

struct release {
	const struct wire_stopped *threads;
	uint64_t thread_count;
	/* Pages of code that are as in their files: from `at` to `value`. */
	const struct wire_stack_word *code;
	uint64_t code_count;
};

/*
 * All code is as it was, all threads but the caller's are stopped, and none is in a
 * stub. Makes system calls only.
 */
void release_session(struct cold *cold, const struct stacks *stacks,
		     const struct release *with);

/* The same where nothing was written over code: threads may run. */
void release_unused(struct cold *cold);

/* The session of `former` is over, and another one has begun. NULL: there was none. */
void release_former(struct cold *former);

#endif
