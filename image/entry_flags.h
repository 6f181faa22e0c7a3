/* SPDX-License-Identifier: MIT */
/*
 * Functions that read a CPU flag set by their caller.
 *
 * Stubs do not preserve flags at an entry: no ABI requires it, and compilers do
 * not rely on it. Assembly sometimes does, between its own functions:
 *
 *	f:	sbb %eax, %eax		reads the carry
 */
#ifndef CLEW_IMAGE_ENTRY_FLAGS_H
#define CLEW_IMAGE_ENTRY_FLAGS_H

#include "disasm/decode.h"
#include "image/image.h"

/*
 * Returns whether code entered at `vaddr` reads flags before it writes any.
 * Follows direct jumps. Returns 0 if that cannot be decided.
 */
int entry_takes_flags(const struct image *image, const struct decoder *decoder,
		      uint64_t vaddr);

#endif
