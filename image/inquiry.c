/* SPDX-License-Identifier: MIT */
#include "image/inquiry.h"

#include "image/found.h"

int inquiry_begin(struct inquiry *q)
{
	int err = functions_find(q->image, &q->scratch, &q->functions);

	if (!err)
		err = decoder_open(&q->decoder, arena_memory, &q->scratch);
	if (!err)
		err = bare_find(q->image, &q->decoder, &q->functions,
				&q->scratch, &q->bare);
	if (!err && q->bare.count)
		err = found_add(q->image, &q->decoder, &q->bare, &q->scratch,
				&q->functions);
	if (!err)
		err = branches_find(q->image, &q->decoder, &q->functions,
				    &q->scratch, &q->branches);
	if (!err)
		err = bare_find(q->image, &q->decoder, &q->functions,
				&q->scratch, &q->bare);
	return err;
}
