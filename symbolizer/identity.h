/* SPDX-License-Identifier: MIT */
/*
 * What a file is called in the cache, found out in the caller's process: with
 * a few reads of some hundred bytes, and no mapping that could fault.
 */
#ifndef CLEW_SYMBOLIZER_IDENTITY_H
#define CLEW_SYMBOLIZER_IDENTITY_H

#include "symbolizer/a2n.h"

struct identity {
	struct a2n_build_id build_id; /* .bytes 0: none was found */
	uint64_t bytes;
	uint64_t mtime_ns;
};

/* 0, or -errno; -ENOEXEC where it is not an ELF file that we read. */
int identity_of_file(const char *path, struct identity *out);

#endif
