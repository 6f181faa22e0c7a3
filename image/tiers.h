/* SPDX-License-Identifier: MIT */
/*
 * Which way each function of a module is hooked, so that no two of them write
 * to the same bytes, or to bytes that another one's way relies on.
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
	int has_traps; /* whether breakpoints are survived in this module */
};

/*
 * Give a verdict to each record of `list`, one for each function and filled in
 * with its vaddr and size, whose verdict is UNKNOWN. 0 or -ENOMEM.
 */
int tiers_choose(const struct tiers *tiers, struct arena *scratch,
		 struct wire_function *list);

#endif
