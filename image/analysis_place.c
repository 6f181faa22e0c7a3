/* SPDX-License-Identifier: MIT */
/* See analysis_place.h. */
#include "image/analysis_place.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "digest/digest_links.h"

uint32_t analysis_place_owner(const char *cache_dir)
{
	const int errno_before = errno;
	uint32_t owner;

	if (!cache_dir || digest_folder_owner(cache_dir, &owner))
		owner = geteuid();
	errno = errno_before;
	return owner;
}

static void add_number(struct cache_path *path, uint32_t number)
{
	char text[] = { (char)('0' + number % 10), '\0' };

	if (number >= 10)
		add_number(path, number / 10);
	cache_path_add(path, text);
}

void analysis_place_of(struct analysis_place *place, const char *cache_dir,
		       const struct file_stamp *stamp)
{
	place->cache = cache_dir;
	place->is_guarded = 0;
	place->apart.used = 0;
	place->apart.is_too_long = 0;
	if (!cache_dir)
		return;
	place->is_guarded =
		file_stamp_is_guarded(stamp, analysis_place_owner(cache_dir));
	cache_path_add(&place->apart, cache_dir);
	cache_path_add(&place->apart, "/");
	if (file_stamp_is_guarded(stamp, stamp->owner)) {
		cache_path_add(&place->apart, ANALYSIS_PLACE_USER);
		add_number(&place->apart, stamp->owner);
	} else {
		cache_path_add(&place->apart, ANALYSIS_PLACE_OTHERS);
	}
}

const char *analysis_place_folder(const struct analysis_place *place)
{
	return place->is_guarded ? place->cache : place->apart.text;
}

/* Creates the folder, with the read permissions of the cache. */
void analysis_place_make(const struct analysis_place *place)
{
	const int errno_before = errno;
	struct stat st;

	if (place->cache && !place->is_guarded && !place->apart.is_too_long &&
	    !stat(place->cache, &st))
		mkdir(place->apart.text, 0700 | (st.st_mode & 055));
	errno = errno_before;
}
