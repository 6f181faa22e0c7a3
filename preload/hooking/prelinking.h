/* SPDX-License-Identifier: MIT */
/*
 * When modules get prelinked stubs and hooked text (stubs/prelinked.h,
 * patch/prelinked_text.h): those that are loaded while
 * the library has been there from the start, where there is a cache, and the user has
 * no probes, which are written into stubs before they are executable. A process that
 * was attached to gets stubs only, which it shares with others of its recording.
 */
#ifndef CLEW_HOOKING_PRELINKING_H
#define CLEW_HOOKING_PRELINKING_H

#include "preload/hooking/cold.h"
#include "preload/modules/candidate.h"
#include "preload/patch/patch_prepare.h"
#include "preload/patch/pristine.h"

/* In one pass over modules. Zero it. */
struct prelinking {
	struct prelinked_folder folder;
	struct pristine pristine;
	int has_begun;
};

/*
 * Map the stubs of a candidate's module, or make and keep them, for
 * candidate->prelinked; and find its text. All of a pass come before other stubs are made,
 * which may lie anywhere, and before anything is written to modules.
 */
void prelinking_find(struct prelinking *prelinking, const struct cold *cold,
		     struct candidate *candidate,
		     const struct patch_workshop *workshop,
		     struct arena *scratch);

/*
 * Patches of a candidate whose text was found, for candidate->patch. 0 or -errno: then
 * it is to be hooked without.
 */
int prelinking_patch(const struct prelinking *prelinking, struct cold *cold,
		     struct candidate *candidate,
		     struct patch_workshop *workshop, struct arena *scratch);

/*
 * Keep the text of one that was hooked without, before anything is written to it. 0 or
 * -errno: it is not kept.
 */
int prelinking_keep(const struct prelinking *prelinking,
		    const struct cold *cold, const struct candidate *candidate,
		    const struct patch_workshop *workshop,
		    struct arena *scratch);

/*
 * In a process that was attached to: maps a file with the sites of a patch, which other
 * processes of the recording share if theirs are equal, instead of memory of its own. The
 * patch has been prepared, and nothing else knows it.
 */
void prelinking_share_sites(const struct cold *cold, struct patch *patch);

/* The same for what is to be written over code (patch/journal.h), once all is prepared. */
void prelinking_share_texts(const struct cold *cold);

/* The same for code with its hooks (shared_text.h), once that has been noted. In slices. */
void prelinking_share_code(const struct cold *cold);

/* What they have open of one, once it is hooked. */
void prelinking_leave(struct candidate *candidate);

void prelinking_end(struct prelinking *prelinking);

#endif
