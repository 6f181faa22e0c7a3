/* SPDX-License-Identifier: MIT */
/*
 * Finds a function's frame at one of its instructions, by unwind information.
 */
#ifndef CLEW_CLI_PROBES_FRAME_PLACE_H
#define CLEW_CLI_PROBES_FRAME_PLACE_H

#include "image/image.h"

struct frame_place {
	int is_known;
	uint64_t column; /* The CFA is this register plus `offset`. */
	int64_t offset;
	/* Largest offset of the CFA from the stack pointer in the function. */
	int64_t most;
};

void frame_place_find(const struct image *image, uint64_t vaddr,
		      struct frame_place *out);

/*
 * Returns whether the CFA at this instruction is relative to this register and
 * the frame has its final size; 0 if this is unknown.
 */
int frame_place_is_set_up(const struct frame_place *place, unsigned int column);

#endif
