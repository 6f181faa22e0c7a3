/* SPDX-License-Identifier: MIT */
/*
 * Code at which a coroutine or thread starts.
 *
 * Such code is not called, so the stack holds no return address, and may end
 * there. The code that creates the context puts the function to call into a
 * register that each function keeps for its caller:
 *
 *	start:	push %rbp
 *		jmp *%rbx
 *
 * A compiled function never jumps to the value that such a register has at the
 * function's entry.
 */
#ifndef CLEW_IMAGE_ENTRY_START_H
#define CLEW_IMAGE_ENTRY_START_H

#include "disasm/decode.h"
#include "image/image.h"

/*
 * Returns whether code entered at `vaddr` jumps to, or calls, the address in a
 * register of its caller, after only pushes and moves between registers.
 */
int entry_is_start(const struct image *image, const struct decoder *decoder,
		   uint64_t vaddr);

#endif
