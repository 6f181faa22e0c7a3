/* SPDX-License-Identifier: MIT */
/*
 * When modules get prelinked stubs (stubs/prelinked.h): those that are loaded while
 * the library has been there from the start, where there is a cache, and the user has
 * no probes, which are written into stubs before they are executable.
 */
#ifndef CLEW_PRELOAD_PRELINKING_H
#define CLEW_PRELOAD_PRELINKING_H

#include "preload/cold.h"
#include "preload/modules/candidate.h"
#include "preload/patch/patch_prepare.h"

/* In one pass over modules. Zero it. */
struct prelinking {
	struct prelinked_folder folder;
	int has_begun;
};

/*
 * Map the stubs of a candidate's module, or make and keep them, for
 * candidate->prelinked. All of a pass come before other stubs are made, which may
 * lie anywhere.
 */
void prelinking_find(struct prelinking *prelinking, const struct cold *cold,
		     struct candidate *candidate,
		     const struct patch_workshop *workshop,
		     struct arena *scratch);
void prelinking_end(struct prelinking *prelinking);

#endif
