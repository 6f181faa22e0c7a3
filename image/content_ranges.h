/* SPDX-License-Identifier: MIT */
/* What of a file an analysis can depend on. */
#ifndef CLEW_IMAGE_CONTENT_RANGES_H
#define CLEW_IMAGE_CONTENT_RANGES_H

#include <stdint.h>

#include "image/image.h"

/* A range of image->bytes. Not 0 ends the walk. */
typedef int content_visit(void *context, const uint8_t *bytes, uint64_t count);

/*
 * Visits headers, what is loaded, and all sections but debug information, which may
 * be much more. 0; what a visit returned; -EFBIG once the ranges come to more than
 * `most` bytes, which a hostile file can make them by listing the same bytes often.
 */
int content_ranges_walk(const struct image *image, uint64_t most,
			content_visit *visit, void *context);

#endif
