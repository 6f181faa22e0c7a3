/* SPDX-License-Identifier: MIT */
/*
 * PT_DYNAMIC: what the loader knows about a module. Unlike sections it is
 * always there, and true, for the module would not run without it.
 */
#ifndef CLEW_IMAGE_DYNAMIC_H
#define CLEW_IMAGE_DYNAMIC_H

#include <stdint.h>

#include "image/image.h"

/* Whether there is an entry of that tag; *value is then its first one's. */
int dynamic_value(const struct image *image, int64_t tag, uint64_t *value);

/* The same of the n-th entry of that tag, from 0. */
int dynamic_nth(const struct image *image, int64_t tag, uint32_t n,
		uint64_t *value);

/* A string of the dynamic string table, or NULL. */
const char *dynamic_string(const struct image *image, uint64_t offset);

/* Whether this is the C library, one of its parts, or the loader. */
int dynamic_is_libc(const struct image *image);

#endif
