/* SPDX-License-Identifier: MIT */
/* The address ranges of a module's code. */
#ifndef CLEW_IMAGE_CODE_RANGES_H
#define CLEW_IMAGE_CODE_RANGES_H

#include <stdint.h>

#include "image/image.h"

struct code_range {
	uint64_t vaddr;
	uint64_t end;
	const char *section; /* the section's name; "" for a segment */
};

typedef void (*code_visit)(void *context, const struct code_range *range);

/*
 * Visits the sections with code or, without section headers, the executable
 * segments.
 */
void code_walk(const struct image *image, code_visit visit, void *context);

#endif
