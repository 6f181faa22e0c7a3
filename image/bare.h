/* SPDX-License-Identifier: MIT */
/*
 * Code that belongs to no known function. The calls of such code are not
 * counted, so reports must state its size. The code is stored like functions,
 * with a verdict that marks it as no function.
 */
#ifndef CLEW_IMAGE_BARE_H
#define CLEW_IMAGE_BARE_H

#include <stdint.h>

#include "disasm/decode.h"
#include "image/functions.h"
#include "wire/recording.h"

/* Stretches of code that belongs to no known function, in order of vaddr. */
struct bare {
	struct wire_function *list;
	uint32_t count;
	uint32_t room;
};

/*
 * Finds the code between the functions, except padding, linkage tables and the
 * code that the compiler links into every module. Returns 0 or -ENOMEM.
 */
int bare_find(const struct image *image, const struct decoder *decoder,
	      const struct functions *functions, struct arena *arena,
	      struct bare *out);

/*
 * Adds the stretches to `count` functions in order of vaddr; the list has room
 * for all. Returns the new count.
 */
uint32_t bare_merge(const struct bare *bare, struct wire_function *list,
		    uint32_t count);

#endif
