/* SPDX-License-Identifier: MIT */
/* Decompression of sections and files into memory. */
#ifndef CLEW_SYMBOLIZER_ELF_UNFOLD_H
#define CLEW_SYMBOLIZER_ELF_UNFOLD_H

#include "base/cursor.h"

/*
 * Each function sets *out to decompressed bytes on the heap, which the caller
 * frees, and returns 0. On failure it returns -errno: -EBADMSG for damaged
 * data, -ENOTSUP for an unknown compression, -EFBIG if the result exceeds the
 * worker's limit.
 */

/* Decompresses a section with SHF_COMPRESSED: zlib or zstd. */
int unfold_section(struct span folded, struct span *out);

/*
 * Decompresses a ".zdebug_*" section: the bytes "ZLIB", the size, and zlib
 * data.
 */
int unfold_zdebug(struct span folded, struct span *out);

/* Decompresses .gnu_debugdata: a whole ELF file in xz. */
int unfold_xz(struct span folded, struct span *out);

#endif
