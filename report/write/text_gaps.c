/* SPDX-License-Identifier: MIT */
/* Code whose calls are not counted, as text. */
#include "report/write/text_writer.h"

#include <stdlib.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/view/gaps.h"

#define NAMED_MAX 3

static const char *name_of(const struct catalog *catalog,
			   const struct gaps *gaps, size_t i)
{
	return i < gaps->hooked && i < NAMED_MAX
		       ? catalog->modules[gaps->items[i].module].name
		       : "";
}

static char *unknown_code(const struct catalog *catalog,
			  const struct gaps *gaps)
{
	const size_t more =
		gaps->hooked > NAMED_MAX ? gaps->hooked - NAMED_MAX : 0;
	char *others = more ? memory_printf(" and %zu more module%s", more,
					    text_plural(more))
			    : memory_string("", 0);
	char *text = memory_printf(
		"%s byte%s of code in %s%s%s%s%s%s %s to no known function; "
		"calls there are not counted",
		text_grouped(gaps->bytes).text, text_plural(gaps->bytes),
		name_of(catalog, gaps, 0), gaps->hooked > 1 ? ", " : "",
		name_of(catalog, gaps, 1), gaps->hooked > 2 ? ", " : "",
		name_of(catalog, gaps, 2), others,
		gaps->bytes == 1 ? "belongs" : "belong");

	free(others);
	return text;
}

char *text_unknown_code(const struct catalog *catalog)
{
	struct gaps gaps;
	char *text = NULL;

	gaps_init(&gaps, catalog);
	if (gaps.bytes > 0)
		text = unknown_code(catalog, &gaps);
	gaps_fini(&gaps);
	return text;
}

/*
 * Returns " (WHY)" if all modules have the same state, else ""; the caller
 * frees it.
 */
static char *common_reason(const struct catalog *catalog,
			   const struct gaps *gaps)
{
	const struct coverage_gap *items = gaps->items + gaps->hooked;
	const uint32_t state = catalog->modules[items->module].state;

	for (size_t i = 1; i < gaps->count - gaps->hooked; i++)
		if (catalog->modules[items[i].module].state != state)
			return memory_string("", 0);
	return memory_printf(" (%s)", module_state_text(state));
}

static char *unhooked_modules(const struct catalog *catalog,
			      const struct gaps *gaps)
{
	const size_t more = gaps->count - gaps->hooked - 1;
	const char *name =
		catalog->modules[gaps->items[gaps->hooked].module].name;
	char *reason = common_reason(catalog, gaps), *text;

	text = more ? memory_printf("%s and %zu more module%s%s", name, more,
				    text_plural(more), reason)
		    : memory_printf("%s%s", name, reason);
	free(reason);
	return text;
}

char *text_unhooked_modules(const struct catalog *catalog)
{
	struct gaps gaps;
	char *text = NULL;

	gaps_init(&gaps, catalog);
	if (gaps.count > gaps.hooked)
		text = unhooked_modules(catalog, &gaps);
	gaps_fini(&gaps);
	return text;
}

void text_gaps(FILE *out, const struct catalog *catalog)
{
	char *code = text_unknown_code(catalog);
	struct gaps gaps;

	if (code)
		fprintf(out, "not covered: %s\n", code);
	free(code);
	gaps_init(&gaps, catalog);
	for (size_t i = gaps.hooked; i < gaps.count; i++) {
		const struct catalog_module *module =
			&catalog->modules[gaps.items[i].module];

		fprintf(out, "not covered: %s: %s\n", module->name,
			module_state_text(module->state));
	}
	gaps_fini(&gaps);
}
