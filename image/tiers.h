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
 * Chooses the tiers, and stores verdict, patch_offset, displaced and island in
 * the records of `list`, of which there is one for each function, with its
 * vaddr and size. Changes only records with the verdict UNKNOWN or RAISES and,
 * if has_traps is set, those that are UNDECODABLE and have an FDE. Returns 0 or
 * -ENOMEM.
 */
int tiers_choose(const struct tiers *tiers, struct arena *scratch,
		 struct wire_function *list);

#endif
