/* SPDX-License-Identifier: MIT */
/*
 * Unwinders that are linked into a module, as libgcc's is by -static-libgcc.
 *
 * A throw calls their functions hundreds of times; hooks would cost far more
 * than the throw. The names are mostly stripped, but only unwinders end
 * functions by __builtin_eh_return(), to return to a frame of their choice.
 * Functions that only such functions call, directly or not, are part of the
 * unwinder.
 */
#ifndef CLEW_IMAGE_UNWINDER_H
#define CLEW_IMAGE_UNWINDER_H

#include <stddef.h>

#include "image/branches.h"

/* Returns whether the code ends a function by __builtin_eh_return(). */
int unwinder_lands(const uint8_t *code, uint64_t bytes);

/*
 * Recognizes libgcc's _Unwind_SetIP(), by which a personality routine sets the
 * landing address. Returns the length of its store, which begins at *offset; or
 * 0.
 */
unsigned int unwinder_sets_ip(const uint8_t *code, uint64_t bytes,
			      uint8_t *offset);

/*
 * Returns whether a function that ends by __builtin_eh_return() is
 * _Unwind_RaiseException(): the only one that marks an exception's unwinding as
 * not forced.
 */
int unwinder_raises(const uint8_t *code, uint64_t bytes);

/*
 * Returns whether the module contains an unwinder: some function ends by
 * __builtin_eh_return().
 */
int unwinder_is_here(const struct branches *branches, uint32_t count);

/*
 * Maximum number of calls from an unwinder's entry to its last function; real
 * chains are shorter.
 */
#define UNWINDER_DEPTH_MAX 64

/* Sets is_unwinders in the notes of `count` functions. Returns 0 or -ENOMEM. */
int unwinder_find(const struct branches *branches, uint32_t count,
		  struct arena *scratch);

#endif
