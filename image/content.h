/* SPDX-License-Identifier: MIT */
/*
 * A cryptographic hash of everything that an analysis depends on, by which
 * caches identify a module.
 *
 * A build-id is not enough, because any user can write any build-id into a
 * file; nor are size and mtime, which the file's owner can set.
 */
#ifndef CLEW_IMAGE_CONTENT_H
#define CLEW_IMAGE_CONTENT_H

#include <stdint.h>

#include "digest/blake2b.h"
#include "image/image.h"

/* The hash, or zeros if it is unknown. */
struct content {
	uint8_t digest[DIGEST_BYTES];
};

/*
 * Returns the content; unknown for a file whose ranges (content_ranges.h)
 * exceed twice its size.
 */
struct content content_of(const struct image *image);

int content_is_known(const struct content *content);

#endif
