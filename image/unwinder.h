/* SPDX-License-Identifier: MIT */
/*
 * Unwinders that are linked into a module, as libgcc's is by -static-libgcc.
 *
 * A throw calls their functions hundreds of times, which would cost far more
 * than the throw. Hardly anybody keeps their names, but there is one thing that
 * only an unwinder does: it returns to a frame of its own choice, through
 * __builtin_eh_return(). What nothing but such functions call, directly or
 * not, is part of the unwinder.
 */
#ifndef CLEW_IMAGE_UNWINDER_H
#define CLEW_IMAGE_UNWINDER_H

#include <stddef.h>

#include "image/branches.h"

/* Whether code ends a function by __builtin_eh_return(). */
int unwinder_lands(const uint8_t *code, uint64_t bytes);

/*
 * libgcc's _Unwind_SetIP(), by which a personality routine says where to land:
 * bytes of its store, which begin at *offset; or 0.
 */
unsigned int unwinder_sets_ip(const uint8_t *code, uint64_t bytes,
			      uint8_t *offset);

/*
 * Of functions that end so, whether this is _Unwind_RaiseException(): the only
 * one that says of an exception that its unwinding is not forced.
 */
int unwinder_raises(const uint8_t *code, uint64_t bytes);

/* Whether one is here: which does not follow from that. */
int unwinder_is_here(const struct branches *branches, uint32_t count);

/* Calls from an unwinder's ways in to what it does last: more than there are. */
#define UNWINDER_DEPTH_MAX 64

/* Set is_unwinders in the notes of `count` functions. 0 or -ENOMEM. */
int unwinder_find(const struct branches *branches, uint32_t count,
		  struct arena *scratch);

#endif
