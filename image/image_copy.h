/* SPDX-License-Identifier: MIT */
/*
 * An ELF file that another user may change while it is read.
 *
 * A mapping shows each change: a checked number may differ when it is used,
 * hashed bytes may differ when they are analysed, and a truncated page raises
 * SIGBUS. Everything that an analysis depends on (content_ranges.h) is
 * therefore read into private memory; the rest of the file is zeros there.
 */
#ifndef CLEW_IMAGE_IMAGE_COPY_H
#define CLEW_IMAGE_IMAGE_COPY_H

#include "image/image.h"

/* Maximum size of a copy, in bytes. */
#define IMAGE_COPY_MOST (UINT64_C(1) << 30)

/*
 * Like image_open(); also closed by image_close(). Returns -EFBIG if the copied
 * ranges exceed IMAGE_COPY_MOST, or twice the file's size.
 */
int image_open_copy(struct image *image, const char *path);

/* Maps the file if only root and this user can change it, else copies it. */
int image_open_for(struct image *image, const char *path, uint32_t user);

#endif
