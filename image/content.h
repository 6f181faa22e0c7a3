/* SPDX-License-Identifier: MIT */
/*
 * A cryptographic hash of what an analysis can depend on: caches know a module by
 * it.
 *
 * A build-id is not enough, because anyone can write any build-id into a file of
 * their own; nor are size and mtime, which the file's owner can set.
 */
#ifndef CLEW_IMAGE_CONTENT_H
#define CLEW_IMAGE_CONTENT_H

#include <stdint.h>

#include "digest/blake2b.h"
#include "image/image.h"

/* All zeros: not known. */
struct content {
	uint8_t digest[DIGEST_BYTES];
};

/* Not known for a file whose ranges (content_ranges.h) come to twice its size. */
struct content content_of(const struct image *image);

int content_is_known(const struct content *content);

#endif
