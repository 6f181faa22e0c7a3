/* SPDX-License-Identifier: MIT */
/*
 * Functions without unwind information and symbols, found by reading code:
 * targets of direct calls, of calls through the procedure linkage table, and of
 * pointers.
 */
#ifndef CLEW_IMAGE_FOUND_H
#define CLEW_IMAGE_FOUND_H

#include "disasm/decode.h"
#include "image/bare.h"
#include "image/functions.h"

/*
 * Adds the functions in code outside all known functions. Returns 0 or -ENOMEM.
 * *functions is then a new list, in `arena`.
 */
int found_add(const struct image *image, const struct decoder *decoder,
	      const struct bare *bare, struct arena *arena,
	      struct functions *functions);

#endif
