/* SPDX-License-Identifier: MIT */
/*
 * Assigns a tier to each function of a module, so that no two functions write
 * to the same bytes, or to bytes that another one's tier needs.
 */
#ifndef CLEW_IMAGE_TIERS_H
#define CLEW_IMAGE_TIERS_H

#include "image/branches.h"
#include "wire/recording.h"

struct tiers {
	const struct image *image;
	const struct decoder *decoder;
	const struct functions *functions;
	const struct branches *branches;
	int has_traps; /* whether breakpoints work in this module */
};

/*
 * Sets the verdict of each record of `list` whose verdict is UNKNOWN; there is
 * one record for each function, with its vaddr and size. Returns 0 or -ENOMEM.
 */
int tiers_choose(const struct tiers *tiers, struct arena *scratch,
		 struct wire_function *list);

#endif
