/* SPDX-License-Identifier: MIT */
/*
 * PT_DYNAMIC: the loader's data about a module. Unlike sections, this data is
 * correct, because the module would not run otherwise. Only programs that are
 * linked statically may lack it.
 */
#ifndef CLEW_IMAGE_DYNAMIC_H
#define CLEW_IMAGE_DYNAMIC_H

#include <stdint.h>

#include "image/image.h"

/*
 * Returns whether there is an entry with that tag; *value is the value of the
 * first one.
 */
int dynamic_value(const struct image *image, int64_t tag, uint64_t *value);

/* Like dynamic_value(), for the n-th entry with that tag, from 0. */
int dynamic_nth(const struct image *image, int64_t tag, uint32_t n,
		uint64_t *value);

/* Returns a string of the dynamic string table, or NULL. */
const char *dynamic_string(const struct image *image, uint64_t offset);

/*
 * Returns whether the module is the C library, one of its parts, or the loader.
 */
int dynamic_is_libc(const struct image *image);

#endif
