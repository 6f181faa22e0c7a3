/* SPDX-License-Identifier: MIT */
/*
 * An ELF file that somebody else may change while it is read.
 *
 * A mapping shows each change: a number that was checked is another one when it is
 * used, bytes that were hashed are others when they are analysed, and a page that
 * was cut off raises SIGBUS. So what an analysis can depend on (content_ranges.h)
 * is read into private memory, and everything else of the file is zeros there.
 */
#ifndef CLEW_IMAGE_IMAGE_COPY_H
#define CLEW_IMAGE_IMAGE_COPY_H

#include "image/image.h"

/* Of one file. */
#define IMAGE_COPY_MOST (UINT64_C(1) << 30)

/*
 * As image_open(), which image_close() ends as well. -EFBIG if it is more than
 * IMAGE_COPY_MOST.
 */
int image_open_copy(struct image *image, const char *path);

/* Maps the file if nobody but root and this user can change it, or copies it. */
int image_open_for(struct image *image, const char *path, uint32_t user);

#endif
