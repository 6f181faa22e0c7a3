/* SPDX-License-Identifier: MIT */
/*
 * Which folder keeps the analysis of a file.
 *
 *	CACHE/			of files that nobody but root and the cache's owner can
 *				change
 *	CACHE/user-UID/		of files that belong to another user
 *	CACHE/others/		of files whose owner is not known to be the only one who
 *				can change them: others may write to them, or they lie in
 *				a network's file system
 *
 * An entry cannot be forged, for it serves only the bytes that it was computed from
 * (content.h). Folders of their own are a second line: what was computed from one
 * user's files never serves another's, even if an analysis should depend on more
 * than is hashed. What is found in CACHE/ serves all.
 */
#ifndef CLEW_IMAGE_ANALYSIS_PLACE_H
#define CLEW_IMAGE_ANALYSIS_PLACE_H

#include "image/cache_path.h"
#include "image/image.h"

#define ANALYSIS_PLACE_USER   "user-"
#define ANALYSIS_PLACE_OTHERS "others"

struct analysis_place {
	const char *cache; /* NULL: nothing is kept */
	int is_guarded;    /* `cache` keeps it */
	struct cache_path apart;
};

/* Whose files a cache takes for its own. */
uint32_t analysis_place_owner(const char *cache_dir);

/* In that cache, for this file. */
void analysis_place_of(struct analysis_place *place, const char *cache_dir,
		       const struct file_stamp *stamp);

/* The folder that is to keep it; it may be missing. */
const char *analysis_place_folder(const struct analysis_place *place);

/* Makes that folder, if the cache is there. */
void analysis_place_make(const struct analysis_place *place);

#endif
