/* SPDX-License-Identifier: MIT */
/*
 * Functions that lend another function their return address.
 *
 *	wrapper:	jmp who		who: mov (%rsp), %rdi
 *
 * A function that ends with a jump leaves its return address to the function it
 * jumps to. If that function reads the address, it must be the program's and not
 * a stub's, so the function that jumps is left alone, as is each function that
 * jumps to that one. A function lends the address, too, if a part that the compiler
 * moved out of it does, or reads it. A function that loads the address of such a
 * function from a slot, and contains an indirect jump, is taken to jump there.
 */
#ifndef CLEW_IMAGE_LENDERS_H
#define CLEW_IMAGE_LENDERS_H

#include "image/branches.h"
#include "image/functions.h"

/* Jumps that are followed one behind the other: more than there are. */
#define LENDERS_DEPTH_MAX 64

/* Complete lends_return in the notes of all functions. */
void lenders_find(const struct image *image, const struct branches *branches,
		  const struct functions *functions);

#endif
