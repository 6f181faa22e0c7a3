/* SPDX-License-Identifier: MIT */
#include "base/text.h"
#include "report/text.h"

#define GROUPED(number) (text_grouped(number).text)

static void write_row(FILE *out, struct session *session,
		      const struct flat_row *row)
{
	uint64_t all = session->summary.calls;

	fprintf(out, "%15s %6.2f%% %11s %8s %8s  %s", GROUPED(row->calls),
		all ? 100.0 * (double)row->calls / (double)all : 0.0,
		GROUPED(row->contexts), GROUPED(row->callers),
		GROUPED(row->callees),
		catalog_name(&session->catalog, row->function));
	if (*catalog_module_name(&session->catalog, row->function))
		fprintf(out, "  [%s]",
			catalog_module_name(&session->catalog, row->function));
	text_place(out, session, row->function);
	fputc('\n', out);
}

void text_flat(FILE *out, struct session *session, const struct flat *flat,
	       size_t top)
{
	size_t shown = top > 0 && top < flat->count ? top : flat->count;

	fprintf(out, "%15s %7s %11s %8s %8s  %s\n", "calls", "share",
		"contexts", "callers", "callees", "function  [module]");
	for (size_t i = 0; i < shown; i++)
		write_row(out, session, &flat->rows[i]);
	if (shown < flat->count)
		fprintf(out, "%15s %s more functions (-n 0 shows all)\n", "...",
			GROUPED(flat->count - shown));
	text_summary(out, session);
}
