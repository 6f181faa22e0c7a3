/* SPDX-License-Identifier: MIT */
/*
 * Functions that read a CPU flag of their caller.
 *
 * Stubs do not keep flags at an entry: no ABI promises them, and compilers do not
 * rely on them there. Assembly sometimes does, between functions of its own:
 *
 *	f:	sbb %eax, %eax		takes the carry
 */
#ifndef CLEW_IMAGE_ENTRY_FLAGS_H
#define CLEW_IMAGE_ENTRY_FLAGS_H

#include "disasm/decode.h"
#include "image/image.h"

/*
 * Returns whether code that is entered at `vaddr` reads flags before it writes
 * any. Follows direct jumps. Returns 0 where that cannot be decided.
 */
int entry_takes_flags(const struct image *image, const struct decoder *decoder,
		      uint64_t vaddr);

#endif
