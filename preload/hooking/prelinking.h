/* SPDX-License-Identifier: MIT */
/*
 * Decides which modules get prelinked stubs and hooked text (stubs/prelinked.h,
 * patch/prelinked_text.h). In a process with the preloaded library, modules get
 * both if there is a cache and the user has no probes; probes are written into
 * stubs before these are executable. A process to which clew attached gets only
 * prelinked stubs, which it shares with other processes of its recording; its
 * hooked code is shared in another way (shared_text.h).
 */
#ifndef CLEW_HOOKING_PRELINKING_H
#define CLEW_HOOKING_PRELINKING_H

#include "preload/hooking/cold.h"
#include "preload/modules/candidate.h"
#include "preload/patch/patch_prepare.h"
#include "preload/patch/pristine.h"

/* State of one pass over modules. Zero-initialise it. */
struct prelinking {
	struct prelinked_folder folder;
	struct pristine pristine;
	int has_begun;
};

/*
 * Maps the stubs of a candidate's module, or creates and stores them, for
 * candidate->prelinked, and finds its hooked text. Must be called for all
 * candidates of a pass before other stubs are allocated and before anything is
 * written to modules.
 */
void prelinking_find(struct prelinking *prelinking, const struct cold *cold,
		     struct candidate *candidate,
		     const struct patch_workshop *workshop,
		     struct arena *scratch);

/*
 * Creates candidate->patch, which will map the file of hooked text that was
 * found. Returns 0, or -errno if the module must be hooked without it.
 */
int prelinking_patch(const struct prelinking *prelinking, struct cold *cold,
		     struct candidate *candidate,
		     struct patch_workshop *workshop, struct arena *scratch);

/*
 * Stores the hooked text of a module that was hooked without one, before
 * anything is written to the module. Returns 0, or -errno if the text is not
 * stored.
 */
int prelinking_keep(const struct prelinking *prelinking,
		    const struct cold *cold, const struct candidate *candidate,
		    const struct patch_workshop *workshop,
		    struct arena *scratch);

/*
 * In an attached process: replaces the memory of a patch's sites by the mapping
 * of a file, which other processes of the recording share if their sites are
 * equal. Called for a prepared patch that no list contains yet.
 */
void prelinking_share_sites(const struct cold *cold, struct patch *patch);

/*
 * Does the same with the memory of the journal's texts, the list of all changed
 * bytes (patch/journal.h), once the list is complete.
 */
void prelinking_share_texts(const struct cold *cold);

/*
 * Shares the hooked code itself with other processes of the recording
 * (shared_text.h), once the journal contains all hooks. Runs in slices
 * (slices.h).
 */
void prelinking_share_code(const struct cold *cold);

/* Closes the files of a candidate, after the module was hooked. */
void prelinking_close(struct candidate *candidate);

void prelinking_end(struct prelinking *prelinking);

#endif
