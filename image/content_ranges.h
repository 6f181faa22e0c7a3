/* SPDX-License-Identifier: MIT */
/* The parts of a file that an analysis depends on. */
#ifndef CLEW_IMAGE_CONTENT_RANGES_H
#define CLEW_IMAGE_CONTENT_RANGES_H

#include <stdint.h>

#include "image/image.h"

/* Visits a range of image->bytes. A result other than 0 ends the walk. */
typedef int content_visit(void *context, const uint8_t *bytes, uint64_t count);

/*
 * Visits headers, loaded segments, and all sections except debug information,
 * which may be much larger. Returns 0; the result of a visit; or -EFBIG if the
 * ranges exceed `most` bytes, which a hostile file can cause by listing the
 * same bytes repeatedly.
 */
int content_ranges_walk(const struct image *image, uint64_t most,
			content_visit *visit, void *context);

#endif
