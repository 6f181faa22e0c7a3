/* SPDX-License-Identifier: MIT */
/*
 * Code that belongs to no function that is known: nothing but its own bytes
 * tells of it. Its calls are not counted, so reports must say how much of it
 * there is; it is kept as functions are, with a verdict that says that it is
 * none.
 */
#ifndef CLEW_IMAGE_BARE_H
#define CLEW_IMAGE_BARE_H

#include <stdint.h>

#include "disasm/decode.h"
#include "image/functions.h"
#include "wire/recording.h"

/* Stretches of such code, in order of vaddr. */
struct bare {
	struct wire_function *list;
	uint32_t count;
	uint32_t room;
};

/*
 * Find it between the functions. Padding, linkage tables and what the compiler
 * links into every module are left out. 0 or -ENOMEM.
 */
int bare_find(const struct image *image, const struct decoder *decoder,
	      const struct functions *functions, struct arena *arena,
	      struct bare *out);

/*
 * Add it to `count` functions in order of vaddr; the list has room for all.
 * Returns how many there are then.
 */
uint32_t bare_merge(const struct bare *bare, struct wire_function *list,
		    uint32_t count);

#endif
