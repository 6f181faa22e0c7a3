/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include <inttypes.h>

const struct writer writer_text = {
	.flat = text_flat,
	.tree = text_tree,
	.list = text_list,
};

void text_place(FILE *out, struct session *session, uint32_t function)
{
	const char *file;
	uint32_t line;

	if (session->shows_lines &&
	    catalog_place(&session->catalog, function, &file, &line))
		fprintf(out, "  %s:%" PRIu32, file, line);
}
