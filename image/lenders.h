/* SPDX-License-Identifier: MIT */
/*
 * Functions that lend their return address to another function.
 *
 *	wrapper:	jmp reader		reader:	mov (%rsp), %rdi
 *
 * A function that ends with a jump leaves its return address to the jump's
 * target. If the target reads that address, it must find the program's address
 * and not a stub's. The jumping function is therefore not hooked, nor is any
 * function that jumps to it. A function also lends the address if a cold part
 * of the function lends or reads it. A function with an indirect jump that
 * loads the address of a reader from a slot is assumed to jump to it.
 */
#ifndef CLEW_IMAGE_LENDERS_H
#define CLEW_IMAGE_LENDERS_H

#include "image/branches.h"
#include "image/functions.h"

/*
 * Maximum length of a chain of functions each of which jumps to the next; real
 * chains are shorter.
 */
#define LENDERS_DEPTH_MAX 64

/* Completes lends_return in the notes of all functions. */
void lenders_find(const struct image *image, const struct branches *branches,
		  const struct functions *functions);

#endif
