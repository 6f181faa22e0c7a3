/* SPDX-License-Identifier: MIT */
/*
 * The functions of a module.
 *
 * A function is a range that an FDE covers or a FUNC symbol names, or that was
 * found by reading code (found.h). A function that starts inside another is
 * also listed, but refused. Some already have a verdict; the others have
 * VERDICT_IS_UNKNOWN until their code is read.
 *
 * Hand-written assembly may give a symbol a type but neither a size nor an FDE,
 * as do thousands of entry points of libGL. An exported function symbol is
 * called as a function. The size is assumed to extend up to the next function,
 * and further checks apply (branches.h). Local symbols of this kind may be
 * labels.
 */
#ifndef CLEW_IMAGE_FUNCTIONS_H
#define CLEW_IMAGE_FUNCTIONS_H

#include <stdint.h>

#include "image/arena.h"
#include "image/image.h"

struct function {
	uint64_t vaddr;
	uint64_t size;
	uint64_t fde_vaddr; /* address of the function's FDE, or 0 */
	uint8_t verdict;    /* enum verdict */
	uint8_t has_fde;    /* whether the size is taken from the FDE */
	uint8_t has_lsda;   /* whether the FDE has an exception table */
	uint8_t is_named;   /* whether a symbol starts here */
	/* Modules other than this one can call a symbol that starts here. */
	uint8_t is_exported;
	/*
	 * The function has only a symbol without a size. If is_exported is set,
	 * the function is taken to end where the next one starts; otherwise its
	 * size is 0.
	 */
	uint8_t is_unsized;
	/* whether the function was found by reading code (found.h) */
	uint8_t is_found;
	uint8_t is_inside; /* the function starts inside an earlier function */
};

struct functions {
	/* sorted by vaddr; no two functions have the same */
	struct function *list;
	uint32_t count;
};

/* Finds the functions of a module. Returns 0, -EBADMSG, or -ENOMEM. */
int functions_find(const struct image *image, struct arena *arena,
		   struct functions *out);

/*
 * Returns the index of the function that starts at vaddr, else of the outermost
 * one that covers it; UINT32_MAX if there is none.
 */
uint32_t functions_at(const struct functions *functions, uint64_t vaddr);

#endif
