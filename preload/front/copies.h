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

/* A function that copies memory, and its fronts. */
struct copying {
	const char *name;
	void **real;
	/*
	 * Checks copies from and to addresses that may be in the caller's
	 * stack.
	 */
	void *near;
	/* Checks all copies, for modules whose stacks may be anywhere. */
	void *anywhere;
	/* IFUNC resolvers of the two fronts. */
	void *(*find_near)(void);
	void *(*find_anywhere)(void);
};

/*
 * Returns the function of that name, or NULL. Call it while modules are hooked;
 * imports may be redirected to it afterwards.
 */
const struct copying *copies_find(const char *name);

#endif
