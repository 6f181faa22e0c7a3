/* SPDX-License-Identifier: MIT */
#include "report/merge/oddities.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"

static void add(FILE *out, uint64_t count, const char *what, const char **lead)
{
	if (count == 0)
		return;
	fprintf(out, "%s%" PRIu64 " %s", *lead, count, what);
	*lead = ", ";
}

char *oddities_text(const struct oddities *oddities,
		    const struct part_copy *part, size_t contexts)
{
	const int has_ended = part->header->state == WIRE_ENDED;
	const uint64_t strangers = has_ended ? oddities->strangers : 0;
	const uint64_t orphans = has_ended ? oddities->orphans : 0;
	const char *lead = "";
	char *text = NULL;
	size_t bytes;
	FILE *out;

	if (!(strangers | orphans | oddities->circular | oddities->uneven))
		return NULL;
	out = open_memstream(&text, &bytes);
	if (!out)
		return memory_printf("%s: contexts that cannot be", part->name);
	fprintf(out, "%s: of %zu context%s some cannot be: ", part->name,
		contexts, text_plural(contexts));
	add(out, strangers, "of a function in no module", &lead);
	add(out, orphans, "without a caller", &lead);
	add(out, oddities->circular, "called by what they call", &lead);
	add(out, oddities->uneven, "at another depth than below the caller",
	    &lead);
	fclose(out);
	return text;
}
