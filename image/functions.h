/* SPDX-License-Identifier: MIT */
/*
 * Where the functions of a module are.
 *
 * A function is what an FDE covers or a FUNC symbol names; what starts in the
 * middle of another is listed too, but refused. Some are already known not to
 * be entries, or not to be touched; the others have VERDICT_IS_UNKNOWN until
 * their code is read.
 *
 * Assembly by hand may give a symbol a type but neither a size nor an FDE, as
 * the thousands of entry points of libGL have it. What a module exports as a
 * function is called as one, so it is taken to reach up to the next, though
 * less is believed of it (branches.h). Others may be any label.
 */
#ifndef CLEW_IMAGE_FUNCTIONS_H
#define CLEW_IMAGE_FUNCTIONS_H

#include <stdint.h>

#include "image/arena.h"
#include "image/image.h"

struct function {
	uint64_t vaddr;
	uint64_t size;
	uint64_t fde_vaddr;  /* of its FDE, or 0 */
	uint8_t verdict;     /* enum verdict */
	uint8_t has_fde;     /* its size is the FDE's */
	uint8_t has_lsda;    /* the FDE has an exception table */
	uint8_t is_named;    /* a symbol starts here */
	uint8_t is_exported; /* ... that other modules can call */
	uint8_t is_unsized;  /* its size is where the next one starts */
	uint8_t is_found;    /* by reading code (found.h) */
	uint8_t is_inside;   /* of the function before it: starts no code */
};

struct functions {
	struct function *list; /* in order of vaddr, no two alike */
	uint32_t count;
};

/* 0, -EBADMSG, -ENOMEM. */
int functions_find(const struct image *image, struct arena *arena,
		   struct functions *out);

/*
 * Index of the function that starts at vaddr, or else of the outermost that
 * covers it; UINT32_MAX if there is none.
 */
uint32_t functions_at(const struct functions *functions, uint64_t vaddr);

#endif
