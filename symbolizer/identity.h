/* SPDX-License-Identifier: MIT */
/*
 * Which file that is, found out in the caller's process by reads, without a
 * mapping that could fault.
 */
#ifndef CLEW_SYMBOLIZER_IDENTITY_H
#define CLEW_SYMBOLIZER_IDENTITY_H

#include "digest/blake2b.h"
#include "digest/file_stamp.h"
#include "symbolizer/a2n.h"

struct identity {
	struct a2n_build_id build_id; /* .bytes 0: none was found */
	struct file_stamp stamp;
};

/* A larger file that another user can change is not hashed. */
#define IDENTITY_HASHED_MOST (UINT64_C(1) << 30)

/* 0, or -errno; -ENOEXEC where it is not an ELF file that we read. */
int identity_of_file(const char *path, struct identity *out);

/*
 * A hash of all bytes of that file. `links` is a folder of hashes that are known
 * (digest/digest_links.h), which this function looks into and adds to. 0, or -errno;
 * -EFBIG if the file is too large, -ESTALE if it is another one by now.
 */
int identity_digest(const char *path, const struct identity *identity,
		    const char *links, uint8_t digest[DIGEST_BYTES]);

#endif
