/* SPDX-License-Identifier: MIT */
/* See leaves.h. */
#include "image/leaves.h"

#include <errno.h>

#include "image/jump_tables.h"
#include "wire/verdict.h"

static int has(const struct inquiry *q, uint64_t vaddr, uint64_t bytes,
	       insn_test is_like_that)
{
	return branches_some_insn(q->image, &q->decoder, vaddr, bytes,
				  is_like_that);
}

static int uses_stack(const struct insn *insn)
{
	return insn->uses_stack;
}

static int sets_stack(const struct insn *insn)
{
	return insn->sets_stack;
}

/* Returns whether the function's extent is certain. */
static int is_known(const struct function *function)
{
	return !function->is_unsized && !function->is_found &&
	       !function->is_inside && function->size;
}

/*
 * Returns whether an indirect jump may leave the function. In a function with
 * landing pads it may, because registers have values of other code at a landing
 * pad.
 */
static int may_leave(const struct inquiry *q, struct jump_tables *tables,
		     uint32_t i, const struct wire_function *function)
{
	const struct code_notes *notes = &q->branches.notes[i];

	return notes->goes_anywhere &&
	       (notes->has_landings ||
		!jump_tables_stay(tables, q, i,
				  function->patch_offset +
					  wire_displaced_bytes(function)));
}

static int is_leaf(const struct inquiry *q, struct jump_tables *tables,
		   uint32_t i, const struct wire_function *function)
{
	const struct code_notes *notes = &q->branches.notes[i];

	return verdict_class(function->verdict) == VERDICT_HOOKED &&
	       is_known(&q->functions.list[i]) && !notes->is_undecodable &&
	       !notes->falls_out && !notes->may_call && !notes->lands &&
	       !wire_loops(function) &&
	       !has(q, function->vaddr + function->patch_offset,
		    wire_displaced_bytes(function), uses_stack) &&
	       !has(q, function->vaddr, q->functions.list[i].size,
		    sets_stack) &&
	       !may_leave(q, tables, i, function);
}

int leaves_find(struct inquiry *q, struct wire_function *list)
{
	struct jump_tables *tables = jump_tables_create(&q->scratch);

	if (!tables)
		return -ENOMEM;
	for (uint32_t i = 0; i < q->functions.count; i++)
		if (is_leaf(q, tables, i, &list[i]))
			list[i].displaced |= WIRE_LEAF;
	return 0;
}
