/* SPDX-License-Identifier: MIT */
/*
 * The directory of indexes.
 *
 *	v1/BUILDID-BYTES[-CONFIG].a2n	an index; BYTES is the module's size, so
 *					that a stripped file and its unstripped
 *					twin have one each
 *	v1/lock-XX			held while one is made (flock)
 *	v1/tmp-...			one that is being written
 *
 * An index is renamed into place when it is whole, so that readers need no
 * lock; two that make the same one would do no harm, but the second waits
 * and then finds the work done.
 */
#ifndef CLEW_SYMBOLIZER_INDEX_CACHE_H
#define CLEW_SYMBOLIZER_INDEX_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/identity.h"

enum { INDEX_CACHE_NAME_BYTES = 128 };

/* The directory by the XDG rules, made if need be. NULL if there is none. */
char *index_cache_default_directory(void);

/* Makes DIRECTORY/vVERSION. Its path, or NULL if that cannot be. free() it. */
char *index_cache_open_directory(const char *directory);

/* The file name of an index. `config` is 0 for the default configuration. */
void index_cache_name(const struct identity *identity, const char *path,
		      uint64_t config, char name[INDEX_CACHE_NAME_BYTES]);

/* An index of that name for reading: an fd, or -errno. */
int index_cache_find(const char *directory, const char *name);

/* Any index of that build-id: an fd, or -errno. */
int index_cache_find_build(const char *directory,
			   const struct a2n_build_id *id);

/* A new file, for writing. *path is its path, free() it. An fd, or -errno. */
int index_cache_begin(const char *directory, char **path);
int index_cache_commit(const char *directory, const char *name,
		       const char *path);

/*
 * The lock of a name: an fd to close, or -errno: -ETIMEDOUT where somebody has
 * held it for too long.
 */
int index_cache_lock(const char *directory, const char *name, uint32_t seconds);

#endif
