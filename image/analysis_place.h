/* SPDX-License-Identifier: MIT */
/*
 * Chooses the folder that stores the analysis of a file.
 *
 *	CACHE/			files that only root and the cache's owner can
 *				change
 *	CACHE/user-UID/		files of another user
 *	CACHE/others/		files that perhaps not only their owner can
 *				change: other users may write to them, or they
 *				are in a network file system
 *
 * An entry cannot be forged, because it serves only the bytes that it was
 * computed from (content.h). Separate folders are a second protection, in case
 * an analysis depends on more than the hashed bytes: entries in CACHE/ are used
 * for all files, those of another folder only for the files of that folder.
 */
#ifndef CLEW_IMAGE_ANALYSIS_PLACE_H
#define CLEW_IMAGE_ANALYSIS_PLACE_H

#include "image/cache_path.h"
#include "image/image.h"

#define ANALYSIS_PLACE_USER   "user-"
#define ANALYSIS_PLACE_OTHERS "others"

struct analysis_place {
	const char *cache; /* the cache's folder; NULL if nothing is stored */
	int is_guarded; /* whether the analysis is stored in `cache` itself */
	struct cache_path apart;
};

/* Returns the user whose files are stored in the cache itself. */
uint32_t analysis_place_owner(const char *cache_dir);

/*
 * Chooses the folder in the cache at cache_dir for the analysis of the file
 * with this stamp.
 */
void analysis_place_of(struct analysis_place *place, const char *cache_dir,
		       const struct file_stamp *stamp);

/*
 * Returns the folder for storing, if place->cache is not NULL. The folder may
 * not exist.
 */
const char *analysis_place_folder(const struct analysis_place *place);

/*
 * Creates the folder of analysis_place_folder() if the cache's own folder
 * exists. Keeps errno.
 */
void analysis_place_make(const struct analysis_place *place);

#endif
