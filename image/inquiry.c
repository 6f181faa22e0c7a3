/* SPDX-License-Identifier: MIT */
/* See inquiry.h. */
#include "image/inquiry.h"

#include "image/found.h"

/*
 * Finds the code outside all functions (bare.h), and functions in that code
 * (found.h). If there are any, determines again which code is outside all
 * functions.
 */
static int find_more(struct inquiry *q)
{
	uint32_t known;
	int err = bare_find(q->image, &q->decoder, &q->functions, &q->scratch,
			    &q->bare);

	if (err || !q->bare.count)
		return err;
	known = q->functions.count;
	err = found_add(q->image, &q->decoder, &q->bare, &q->scratch,
			&q->functions);
	if (err || q->functions.count == known)
		return err;
	return bare_find(q->image, &q->decoder, &q->functions, &q->scratch,
			 &q->bare);
}

int inquiry_begin(struct inquiry *q)
{
	int err = functions_find(q->image, &q->scratch, &q->functions);

	if (!err)
		err = decoder_open(&q->decoder, arena_memory, &q->scratch);
	if (!err)
		err = find_more(q);
	if (!err)
		err = branches_find(q->image, &q->decoder, &q->functions,
				    &q->scratch, &q->branches);
	return err;
}
