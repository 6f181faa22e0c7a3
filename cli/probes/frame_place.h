/* SPDX-License-Identifier: MIT */
/* Where a function's frame is at one of its instructions, by unwind information. */
#ifndef CLEW_CLI_PROBES_FRAME_PLACE_H
#define CLEW_CLI_PROBES_FRAME_PLACE_H

#include "image/image.h"

struct frame_place {
	int is_known;
	uint64_t column; /* the CFA is as far as `offset` from that register */
	int64_t offset;
	int64_t most; /* the largest offset from the stack pointer in all of it */
};

void frame_place_find(const struct image *image, uint64_t vaddr,
		      struct frame_place *out);

/* Whether a register is the frame's base by now, and not yet given back. */
int frame_place_is_set_up(const struct frame_place *place, unsigned int column);

#endif
