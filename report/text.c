/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include <inttypes.h>
#include <langinfo.h>
#include <string.h>

const struct writer writer_text = {
	.flat = text_flat,
	.tree = text_tree,
	.list = text_list,
	.butterfly = text_butterfly,
	.diff = text_diff,
};

const char *text_glyph(const char *utf8, const char *ascii)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? utf8 : ascii;
}

void text_function(FILE *out, struct session *session, uint32_t function)
{
	const struct catalog *catalog = &session->catalog;

	fputs(catalog_name(&session->catalog, function), out);
	if (catalog->functions[function].kind == KIND_INLINED)
		fputs(" (inlined)", out);
}

void text_place(FILE *out, struct session *session, uint32_t function)
{
	const char *file;
	uint32_t line;

	if (session->shows_lines &&
	    catalog_place(&session->catalog, function, &file, &line))
		fprintf(out, "  %s:%" PRIu32, file, line);
}
