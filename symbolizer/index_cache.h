/* SPDX-License-Identifier: MIT */
/*
 * The directory of indexes.
 *
 *	vN/[BUILDID-]DIGEST[-CONFIG].a2n
 *				an index; DIGEST is a hash of the module's file
 *				(identity_digest()), since anyone can write
 *				another module's build-id into a file
 *	vN/lock-XX		held while an index is created (flock)
 *	vN/tmp-...		an index that is being written
 *	vN/STAMP.stamp		the digest of a file (digest/digest_links.h)
 *	vN/user-UID/		the same, for files that user UID can change
 *	vN/others/		the same, for files that several other users can
 *				change
 *
 * An index also contains data of files other than the module, such as debug
 * files next to it. Indexes that another user can influence are therefore kept
 * apart.
 *
 * A complete index is renamed into place, so readers need no lock. Two
 * processes that create the same index would do no harm, but the second one
 * waits and then finds the index of the first.
 */
#ifndef CLEW_SYMBOLIZER_INDEX_CACHE_H
#define CLEW_SYMBOLIZER_INDEX_CACHE_H

#include <stddef.h>
#include <stdint.h>

#include "symbolizer/identity.h"

enum { INDEX_CACHE_NAME_BYTES = 192 };

/*
 * Returns the path of the cache's directory by the XDG rules, which the caller
 * frees; NULL if there is none.
 */
char *index_cache_default_directory(void);

/*
 * Creates DIRECTORY/vVERSION. Returns its path, which the caller frees, or NULL
 * on failure.
 */
char *index_cache_open_directory(const char *directory);

/*
 * Returns the directory for indexes of a module: `directory` or one inside it,
 * which is created if needed. The caller frees it. NULL: out of memory.
 */
char *index_cache_directory_of(const char *directory, const char *path,
			       const struct identity *identity);

/*
 * Writes the file name of an index. `config` is 0 for the default
 * configuration.
 */
void index_cache_name(const struct a2n_build_id *build_id,
		      const uint8_t digest[DIGEST_BYTES], uint64_t config,
		      char name[INDEX_CACHE_NAME_BYTES]);

/*
 * Opens the index of that name in the directory for reading. Returns a
 * descriptor or -errno; -EPERM if a user other than root and this one can have
 * written it.
 */
int index_cache_find(const char *directory, const char *name);

/*
 * Opens an index of a module with this build-id, whatever its digest is.
 * Returns a descriptor or -errno.
 */
int index_cache_find_build(const char *directory,
			   const struct a2n_build_id *id);

/*
 * index_cache_begin() creates a temporary file for writing an index, and stores
 * its path, which the caller frees. Returns a descriptor or -errno.
 * index_cache_commit() gives the complete file its final name. Returns 0 or
 * -errno.
 */
int index_cache_begin(const char *directory, char **path);
int index_cache_commit(const char *directory, const char *name,
		       const char *path);

/*
 * Takes the lock of an index's name, which a few other names share. Returns a
 * descriptor, by which the caller holds the lock until it closes it, or -errno;
 * -ETIMEDOUT if another process has held the lock for `seconds`.
 */
int index_cache_lock(const char *directory, const char *name, uint32_t seconds);

#endif
