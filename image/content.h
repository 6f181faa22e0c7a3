/* SPDX-License-Identifier: MIT */
/*
 * What a file without a build-id is known by: a hash of its content.
 *
 * Device, inode and times would be cheaper to have, but a file can be changed
 * twice within one tick of the clock that its times are taken from, file systems
 * are built anew with all times as they were, and clocks are set.
 */
#ifndef CLEW_IMAGE_CONTENT_H
#define CLEW_IMAGE_CONTENT_H

#include <stdint.h>

#include "image/image.h"

/* Two hashes of 64 bits, never both 0. */
struct content {
	uint64_t words[2];
};

/*
 * Of all in the file that an analysis can depend on: headers, what is loaded,
 * symbols. Not of debug information, which may be much more.
 */
struct content content_of(const struct image *image);

#endif
