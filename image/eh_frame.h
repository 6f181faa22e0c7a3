/* SPDX-License-Identifier: MIT */
/*
 * The unwind information of a module, as a list of code ranges: in stripped
 * code the one that tells where functions start.
 */
#ifndef CLEW_IMAGE_EH_FRAME_H
#define CLEW_IMAGE_EH_FRAME_H

#include <stdint.h>

#include "image/cfi.h"
#include "image/image.h"

struct fde {
	uint64_t vaddr;
	uint64_t size;
	enum cfi_entry entry;
	int is_signal_frame;
};

/* 0 to go on, or the value that eh_frame_walk() is to return. */
typedef int (*fde_visit)(void *context, const struct fde *fde);

/*
 * Visit every FDE, in the order of the search table of PT_GNU_EH_FRAME, or of
 * .eh_frame where there is no table. 0, -EBADMSG, or what a visit returned.
 * A module without unwind information has nothing to visit.
 */
int eh_frame_walk(const struct image *image, fde_visit visit, void *context);

#endif
