/* SPDX-License-Identifier: MIT */
/* See lenders.h. */
#include "image/lenders.h"

#include "image/idioms.h"
#include "wire/verdict.h"

struct spread {
	const struct image *image;
	struct code_notes *notes;
	const struct functions *functions;
	int has_changed;
};

/*
 * Returns whether the function reads its return address. A thunk does not
 * count, because it accesses the return address of its own call.
 */
static int reads(const struct spread *s, uint32_t index)
{
	struct bytes b =
		image_bytes_at(s->image, s->functions->list[index].vaddr);

	return s->notes[index].reads_return &&
	       !idioms_is_thunk(b.at, bytes_left(&b));
}

static void lend(struct spread *s, uint32_t from, uint32_t to)
{
	const struct code_notes *reached = &s->notes[to];

	if (s->notes[from].lends_return)
		return;
	if (reached->lends_return || reached->calls_mcount || reads(s, to)) {
		s->notes[from].lends_return = 1;
		s->has_changed = 1;
	}
}

static void lend_by_jump(void *context, const struct reference *jump)
{
	if (jump->from != BRANCHES_NOBODY)
		lend(context, jump->from, jump->to);
}

static int is_part(const struct spread *s, uint32_t index)
{
	return index < BRANCHES_SEVERAL &&
	       s->functions->list[index].verdict == VERDICT_IS_COLD_PART;
}

/*
 * Handles a part of a function, which may be entered anywhere, and that
 * function.
 */
static void lend_by_parts(struct spread *s, uint32_t index)
{
	const uint32_t other = s->notes[index].jumps_into;

	if (is_part(s, other))
		lend(s, index, other);
	else if (other < BRANCHES_SEVERAL && is_part(s, index))
		lend(s, other, index);
}

void lenders_find(const struct image *image, const struct branches *branches,
		  const struct functions *functions)
{
	struct spread s = { image, branches->notes, functions, 1 };

	for (uint32_t k = 0; k < functions->count; k++)
		s.notes[k].lends_return |=
			s.notes[k].loads_reader & s.notes[k].goes_anywhere;
	for (int i = 0; i < LENDERS_DEPTH_MAX && s.has_changed; i++) {
		s.has_changed = 0;
		references_walk(&branches->jumps, lend_by_jump, &s);
		for (uint32_t k = 0; k < functions->count; k++)
			lend_by_parts(&s, k);
	}
}
