/* SPDX-License-Identifier: MIT */
/*
 * Where the indirect jumps of a function lead.
 *
 * Its code is followed from the start along every branch, with what is known of the
 * registers (disasm/register_values). An indirect jump is understood if it jumps by a table
 * that nobody may write to, with an index whose bound was compared. All entries up
 * to the bound, and none behind it, are where it may lead.
 */
#ifndef CLEW_IMAGE_JUMP_TABLES_H
#define CLEW_IMAGE_JUMP_TABLES_H

#include "image/inquiry.h"

struct jump_tables; /* memory for one function at a time */

/* Of that arena's; NULL: there is no memory. */
struct jump_tables *jump_tables_create(struct arena *arena);

/*
 * Whether all jumps of function `index`, whose direct branches stay within it, lead
 * to instructions of it, behind its first `first_bytes`, also if indirect. 0 in doubt.
 */
int jump_tables_stay(struct jump_tables *tables, const struct inquiry *q,
		     uint32_t index, unsigned int first_bytes);

#endif
