/* SPDX-License-Identifier: MIT */
/*
 * In front of the functions that copy memory, for modules that may copy stacks.
 *
 * In a copy of a piece of stack, stubs' addresses become trampolines'
 * (hot/trampoline.h), while the stack itself stays as it is. Only modules that
 * switch stacks, or jump, are led here, by their own imports (imports.h).
 */
#ifndef CLEW_FRONT_COPIES_H
#define CLEW_FRONT_COPIES_H

#include <stddef.h>

/* One of those functions, and what stands in front of it. */
struct copying {
	const char *name;
	void **real;
	/* Looks at copies from and to what may be the caller's own stack... */
	void *near;
	/* ... or at all, for those who have stacks anywhere. */
	void *anywhere;
	/* IFUNC resolvers for them. */
	void *(*find_near)(void);
	void *(*find_anywhere)(void);
};

/*
 * The one of that name, or NULL. Called where modules are hooked; from then on
 * it can be led to.
 */
const struct copying *copies_find(const char *name);

#endif
