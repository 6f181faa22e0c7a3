/* SPDX-License-Identifier: MIT */
/*
 * Islands: locations for 5-byte jumps near functions that have room only for a
 * 2-byte one.
 *
 *	f:	jmp island		2 bytes, reach -128 to 127
 *		...
 *		ret
 *	island:	jmp stub		5 bytes of alignment before the next
 *					function
 *
 * Nothing may ever be executed there: the bytes must be filler of a compiler or
 * linker between two functions, and no branch leads to them and no function
 * continues into them.
 */
#ifndef CLEW_IMAGE_ISLANDS_H
#define CLEW_IMAGE_ISLANDS_H

#include "image/branches.h"

struct islands {
	const struct image *image;
	const struct decoder *decoder;
	const struct functions *functions;
	const struct branches *branches;
	const struct marks *taken; /* marks the bytes that are already used */
};

/*
 * Returns the displacement of a 2-byte jump at site_vaddr, in or near function
 * `index`, to a free location; 0 if none is within its reach.
 */
int8_t islands_find(const struct islands *islands, uint32_t index,
		    uint64_t site_vaddr);

#endif
