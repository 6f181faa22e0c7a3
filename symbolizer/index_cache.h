/* SPDX-License-Identifier: MIT */
/*
 * The directory of indexes.
 *
 *	vN/[BUILDID-]DIGEST[-CONFIG].a2n	an index; DIGEST is a hash of the module's
 *					file (identity_digest()): anyone can write
 *					another module's build-id into a file
 *	vN/lock-XX			held while one is made (flock)
 *	vN/tmp-...			one that is being written
 *	vN/STAMP.stamp			the digest of a file (digest/digest_links.h)
 *	vN/user-UID/, vN/others/	the same, of files that another user can
 *					change, or more than one other
 *
 * An index has more than the module's file, from debug files beside it, say. So
 * what another user can put there is kept apart.
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

enum { INDEX_CACHE_NAME_BYTES = 192 };

/* The directory by the XDG rules, made if need be. NULL if there is none. */
char *index_cache_default_directory(void);

/* Makes DIRECTORY/vVERSION. Its path, or NULL if that cannot be. free() it. */
char *index_cache_open_directory(const char *directory);

/*
 * The directory for indexes of a module, made if need be, inside of `directory` or
 * that itself. NULL: out of memory. free() it.
 */
char *index_cache_directory_of(const char *directory, const char *path,
			       const struct identity *identity);

/* The file name of an index. `config` is 0 for the default configuration. */
void index_cache_name(const struct a2n_build_id *build_id,
		      const uint8_t digest[DIGEST_BYTES], uint64_t config,
		      char name[INDEX_CACHE_NAME_BYTES]);

/*
 * An index of that name for reading: an fd, or -errno; -EPERM if another user can
 * have written it.
 */
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
