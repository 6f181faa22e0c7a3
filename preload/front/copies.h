/* SPDX-License-Identifier: MIT */
/*
 * Fronts of the functions that copy memory, for modules that may copy stacks.
 *
 * In a copy of a piece of stack, addresses of stubs are replaced by addresses
 * of trampolines (hot/trampoline.h); the stack itself is unchanged. Only
 * modules that switch stacks or jump are redirected here, through their own
 * imports (imports.h).
 */
#ifndef CLEW_FRONT_COPIES_H
#define CLEW_FRONT_COPIES_H

#include <stddef.h>

/* A libc function that copies memory, and clew's two wrappers of it. */
struct copying {
	const char *name;
	void **real;
	/*
	 * The wrapper that inspects only copies from or to the caller's stack.
	 */
	void *near;
	/*
	 * The wrapper that inspects all copies, for modules whose stacks may be
	 * anywhere.
	 */
	void *anywhere;
	/* IFUNC resolvers that return the two wrappers. */
	void *(*find_near)(void);
	void *(*find_anywhere)(void);
};

/*
 * Returns the row for the function of this name, or NULL. Call it while modules
 * are being hooked; their imports may be redirected to its wrappers afterwards.
 */
const struct copying *copies_find(const char *name);

#endif
