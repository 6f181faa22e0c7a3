/* SPDX-License-Identifier: MIT */
/* Compressed sections and files, unfolded into memory. */
#ifndef CLEW_SYMBOLIZER_INDEXER_UNFOLD_H
#define CLEW_SYMBOLIZER_INDEXER_UNFOLD_H

#include "symbolizer/cursor.h"

/*
 * Each: 0 and bytes on the heap, or -errno: -EBADMSG damaged, -ENOTSUP an
 * unknown way, -EFBIG more than the worker may have.
 */

/* A section with SHF_COMPRESSED: zlib or zstd. */
int unfold_section(struct span folded, struct span *out);

/* A ".zdebug_*" section: "ZLIB", size, zlib. */
int unfold_zdebug(struct span folded, struct span *out);

/* .gnu_debugdata: a whole ELF file in xz. */
int unfold_xz(struct span folded, struct span *out);

#endif
