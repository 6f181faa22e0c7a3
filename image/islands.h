/* SPDX-License-Identifier: MIT */
/*
 * Places for 5-byte jumps near functions that have room for a 2-byte one.
 *
 *	f:	jmp island		2 bytes, reach -128 to 127
 *		...
 *		ret
 *	island:	jmp stub		5 bytes of what aligns the next function
 *
 * Nothing may ever execute there: bytes that a compiler or linker filled in
 * between two functions, that no branch leads to and no function falls into.
 */
#ifndef CLEW_IMAGE_ISLANDS_H
#define CLEW_IMAGE_ISLANDS_H

#include "image/branches.h"

struct islands {
	const struct image *image;
	const struct decoder *decoder;
	const struct functions *functions;
	const struct branches *branches;
	const struct marks *taken; /* bytes that are somebody's already */
};

/*
 * The displacement of a 2-byte jump at site_vaddr, in or near function
 * `index`, to a free place; 0 if there is none within its reach.
 */
int8_t islands_find(const struct islands *islands, uint32_t index,
		    uint64_t site_vaddr);

#endif
