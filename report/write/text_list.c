/* SPDX-License-Identifier: MIT */
/* The output of `clew list` as text: modules and their functions. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/view/java_methods.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

#define LOOPS           "it jumps to its own entry"

/*
 * Writes the share of hookable functions that are hooked without a breakpoint;
 * nothing if there are no hookable functions.
 */
static void write_share(FILE *out, const struct coverage *coverage)
{
	unsigned int share = coverage_without_trap(coverage);

	if (coverage_eligible(coverage) > 0)
		fprintf(out,
			"%12u.%02u %%  of %s functions are hooked by a jump, "
			"not "
			"by a breakpoint\n",
			share / 100, share % 100,
			GROUPED(coverage_eligible(coverage)));
}

static void write_reasons(FILE *out, const struct coverage *coverage)
{
	uint8_t order[VERDICT_COUNT];

	coverage_order(coverage, order);
	for (unsigned int i = 0; i < VERDICT_COUNT; i++) {
		static const char *const what[] = {
			[COVERAGE_HOOKED] = "",
			[COVERAGE_REFUSED] = "refused: ",
			[COVERAGE_LEFT_ALONE] = "left alone: ",
			[COVERAGE_NOT_ENTRY] = "not a function: ",
		};

		if (coverage->by_verdict[order[i]] == 0)
			break;
		fprintf(out, "%15s  %s%s\n",
			GROUPED(coverage->by_verdict[order[i]]),
			what[coverage_class(order[i])], verdict_text(order[i]));
	}
	if (coverage->bare_bytes > 0)
		fprintf(out,
			"%15s  bytes in these ranges, where calls are not "
			"counted\n",
			GROUPED(coverage->bare_bytes));
	if (coverage->looping > 0)
		fprintf(out,
			"%15s  may be undercounted: " LOOPS
			"; a self tail call "
			"looks the same and is not counted\n",
			GROUPED(coverage->looping));
	write_share(out, coverage);
}

/*
 * Returns a name for the list. The addresses in the list distinguish functions
 * with the same short name.
 */
static char *name_of(const struct list_view *view, uint32_t function)
{
	const char *full;

	if (!view->shows_full_names)
		return catalog_short_name(view->catalog, function,
					  A2N_SHORTEST);
	full = catalog_full_name(view->catalog, function);
	return memory_string(full, strlen(full));
}

static void write_function(FILE *out, const struct list_view *view,
			   uint32_t index)
{
	const struct catalog_function *function =
		&view->catalog->functions[index];
	char *name = name_of(view, index);

	fprintf(out, "%#15" PRIx64 "  %s: %s%s\n", function->vaddr, name,
		verdict_text(function->verdict),
		catalog_loops(function) ? "; " LOOPS : "");
	free(name);
}

static void write_functions(FILE *out, const struct list_view *view,
			    uint32_t module)
{
	const struct catalog *catalog = view->catalog;
	uint32_t left = catalog->modules[module].function_count;

	/*
	 * Functions of other modules may lie in between: see
	 * function_catalog.h.
	 */
	for (uint32_t i = catalog->modules[module].first_function; left > 0;
	     i++) {
		const struct catalog_function *function =
			&catalog->functions[i];

		if (function->module != module ||
		    !catalog_is_recorded(function))
			continue;
		left--;
		if (list_shows(view, function))
			write_function(out, view, i);
	}
}

static void write_module(FILE *out, const struct list_view *view,
			 uint32_t index, const struct coverage *coverage)
{
	const struct catalog_module *module = &view->catalog->modules[index];

	fprintf(out, "%s: ", module->printable_path);
	if (module->state != MODULE_IS_HOOKED) {
		fprintf(out, "not hooked: %s\n",
			module_state_text(module->state));
		return;
	}
	text_coverage(out, coverage,
		      view->is_forecast ? "can be hooked" : "hooked");
	fputc('\n', out);
	write_reasons(out, coverage);
	if (list_shows_some(view, coverage))
		write_functions(out, view, index);
}

static void write_total(FILE *out, const struct catalog *catalog,
			const struct coverage *modules, uint64_t trap_hits)
{
	struct coverage total;
	uint64_t hooked = coverage_total(catalog, modules, &total);
	char words[96];

	snprintf(words, sizeof(words), "hooked in %s of %s modules",
		 GROUPED(hooked), GROUPED(catalog->module_count));
	fputs("\ntotal: ", out);
	text_coverage(out, &total, words);
	fputc('\n', out);
	write_reasons(out, &total);
	if (trap_hits > 0)
		fprintf(out, "%15s  breakpoint hit%s\n", GROUPED(trap_hits),
			text_plural(trap_hits));
}

static void write_java(FILE *out, const struct list_view *view)
{
	const struct catalog *catalog = view->catalog;
	const struct java_methods methods = java_methods_of(catalog);

	if (methods.counted + methods.left == 0)
		return;
	fputs("\nJava: ", out);
	text_java_counted(out, &methods, view->is_java_in_place);
	fprintf(out, "; %s not counted\n", GROUPED(methods.left));
	for (unsigned int i = 0; i < WIRE_JAVA_LEFT_COUNT; i++)
		if (methods.by_reason[i] > 0)
			fprintf(out, "%15s  not counted: %s\n",
				GROUPED(methods.by_reason[i]),
				java_left_text(i));
	if (view->detail == LIST_REASONS)
		return;
	for (size_t i = FUNCTION_FIRST; i < catalog->function_count; i++) {
		const struct catalog_function *one = &catalog->functions[i];
		const char *way = java_method_way(one, view->is_java_in_place);

		if (way && view->detail == LIST_ALL)
			fprintf(out, "%15s  %s: counted (%s)\n", "java",
				catalog_name(view->catalog, (uint32_t)i), way);
		else if (!way && one->java_left)
			fprintf(out, "%15s  %s: not counted, %s\n", "java",
				catalog_name(view->catalog, (uint32_t)i),
				java_left_text(one->java_left));
	}
}

void text_list(FILE *out, const struct list_view *view)
{
	struct coverage *modules = coverage_of_modules(view->catalog);

	for (uint32_t i = 0; i < view->catalog->module_count; i++)
		write_module(out, view, i, &modules[i]);
	if (!view->is_forecast)
		write_total(out, view->catalog, modules, view->trap_hits);
	write_java(out, view);
	if (view->import)
		fprintf(out, "%s\n", view->import);
	free(modules);
}
