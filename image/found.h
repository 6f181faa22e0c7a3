/* SPDX-License-Identifier: MIT */
/*
 * Functions that neither unwind information nor symbols tell of, found by reading
 * code: what is called, directly or through the procedure linkage table, and what
 * pointers lead to.
 */
#ifndef CLEW_IMAGE_FOUND_H
#define CLEW_IMAGE_FOUND_H

#include "disasm/decode.h"
#include "image/bare.h"
#include "image/functions.h"

/*
 * Add those in stretches of code that are no known function's. 0 or -ENOMEM.
 * *functions is then another list, in `arena`.
 */
int found_add(const struct image *image, const struct decoder *decoder,
	      const struct bare *bare, struct arena *arena,
	      struct functions *functions);

#endif
