/* SPDX-License-Identifier: MIT */
/*
 * Finds the targets of a function's indirect jumps.
 *
 * The code is followed from the start along every branch, with the known values
 * of registers (disasm/register_values). An indirect jump is understood if it
 * uses a read-only table with an index that was compared with a bound. The
 * targets are exactly the entries up to the bound.
 */
#ifndef CLEW_IMAGE_JUMP_TABLES_H
#define CLEW_IMAGE_JUMP_TABLES_H

#include "image/inquiry.h"

struct jump_tables; /* memory for one function at a time */

/* Allocates the memory in the arena. Returns NULL if there is none. */
struct jump_tables *jump_tables_create(struct arena *arena);

/*
 * Returns whether all jumps of function `index` lead to its own instructions,
 * and the indirect ones to instructions after the first `first_bytes`. Returns
 * 0 in doubt, and if the function contains a call that is reached.
 */
int jump_tables_stay(struct jump_tables *tables, const struct inquiry *q,
		     uint32_t index, unsigned int first_bytes);

#endif
