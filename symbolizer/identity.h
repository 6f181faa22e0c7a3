/* SPDX-License-Identifier: MIT */
/*
 * The identity of a file. The functions run in the caller's process, so they
 * read the file and do not map it: an access to a mapping could raise SIGBUS.
 */
#ifndef CLEW_SYMBOLIZER_IDENTITY_H
#define CLEW_SYMBOLIZER_IDENTITY_H

#include "digest/blake2b.h"
#include "digest/file_stamp.h"
#include "symbolizer/a2n.h"

struct identity {
	/* build_id.bytes is 0 if the file has no build-id */
	struct a2n_build_id build_id;
	struct file_stamp stamp;
};

/*
 * Maximum size of a file that is hashed, if another user can change the file.
 */
#define IDENTITY_HASHED_MOST (UINT64_C(1) << 30)

/*
 * Reads the identity of a file. Returns 0 or -errno; -ENOEXEC if it is not a
 * supported ELF file.
 */
int identity_of_file(const char *path, struct identity *out);

/*
 * Computes a hash of all bytes of the file at `path`, of which `identity` was
 * determined before. `links` is a folder of known hashes
 * (digest/digest_links.h), which is searched, and to which a new hash is added.
 * Returns 0 or -errno; -EFBIG if the file is too large, -ESTALE if it was
 * changed or replaced meanwhile.
 */
int identity_digest(const char *path, const struct identity *identity,
		    const char *links, uint8_t digest[DIGEST_BYTES]);

#endif
