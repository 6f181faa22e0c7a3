/* SPDX-License-Identifier: MIT */
/* A baseline for `clew diff`: see report/view/baseline.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/export/export.h"
#include "report/view/baseline.h"
#include "report/view/flat.h"

/*
 * Returns the position of a module. The program is the first module. Functions
 * of no module come last.
 */
static int module_rank(const struct catalog *catalog, uint32_t module)
{
	if (module == CATALOG_NO_MODULE)
		return 2;
	return strcmp(catalog->modules[module].name,
		      catalog->modules[0].name) != 0;
}

static int by_module(const struct catalog *catalog, uint32_t a, uint32_t b)
{
	const struct catalog_module *modules = catalog->modules;
	const int rank = module_rank(catalog, a) - module_rank(catalog, b);

	if (rank || a == b || a == CATALOG_NO_MODULE || b == CATALOG_NO_MODULE)
		return rank;
	return strcmp(modules[a].name, modules[b].name);
}

/*
 * Compares functions for sorting. Functions with the same module name, name and
 * kind are equal.
 */
static int compare_functions(struct catalog *catalog, uint32_t a, uint32_t b)
{
	const struct catalog_function *one = &catalog->functions[a];
	const struct catalog_function *other = &catalog->functions[b];
	const int is_named = catalog_has_name(catalog, a);
	int order = by_module(catalog, one->module, other->module);

	if (!order)
		order = catalog_has_name(catalog, b) - is_named;
	if (!order && !is_named)
		order = (one->module > other->module) -
			(one->module < other->module);
	if (!order && !is_named)
		return (one->vaddr > other->vaddr) -
		       (one->vaddr < other->vaddr);
	if (!order)
		order = strcmp(catalog_name(catalog, a),
			       catalog_name(catalog, b));
	return order ? order : (int)one->kind - (int)other->kind;
}

static int by_name(const void *left, const void *right, void *context)
{
	const uint32_t a = *(const uint32_t *)left;
	const uint32_t b = *(const uint32_t *)right;
	const int order = compare_functions(context, a, b);

	return order ? order : (a > b) - (a < b);
}

/*
 * Returns the functions of a tree in the order of the file. The caller frees
 * the array.
 */
static uint32_t *sorted_functions(const struct tree *tree,
				  struct catalog *catalog, size_t *count)
{
	const size_t functions = catalog->function_count;
	uint8_t *is_seen = memory_zeroed(functions, 1);
	uint32_t *sorted = memory_zeroed(functions, sizeof(*sorted));

	*count = 0;
	for (size_t i = 1; i < tree->count; i++) {
		const uint32_t function = tree->nodes[i].function;

		if (!is_seen[function]++)
			sorted[(*count)++] = function;
	}
	free(is_seen);
	qsort_r(sorted, *count, sizeof(*sorted), by_name, catalog);
	return sorted;
}

/*
 * Labels each node with the first function of the same name. The labels are
 * numbers from 1 in the order of the file; functions[] gets these functions.
 */
static uint32_t *label_nodes(const struct tree *tree, struct catalog *catalog,
			     uint32_t *functions, size_t *count)
{
	uint32_t *label_of =
		memory_zeroed(catalog->function_count, sizeof(*label_of));
	uint32_t *labels = memory_zeroed(tree->count, sizeof(*labels));
	size_t kept = 0;

	for (size_t i = 0; i < *count; i++) {
		const uint32_t function = functions[i];

		if (kept == 0 || compare_functions(catalog, functions[kept - 1],
						   function) != 0)
			functions[kept++] = function;
		label_of[function] = (uint32_t)kept;
	}
	for (size_t i = 1; i < tree->count; i++)
		labels[i] = label_of[tree->nodes[i].function];
	*count = kept;
	free(label_of);
	return labels;
}

/* ---- Lines ---- */

static void write_head(FILE *out, const struct export *export, int has_time)
{
	const struct summary *summary = &export->session->summary;
	const uint64_t missing = session_missing_calls(export->session);
	const double ns = (double)summary->time_ns;
	const uint64_t equal =
		summary->squares_ns2 > 0
			? (uint64_t)(ns * ns / summary->squares_ns2)
			: 0;

	fputs(BASELINE_HEADING BASELINE_VERSION "\n", out);
	if (has_time)
		fprintf(out, "time\t%s\t%" PRIu64 "\n",
			time_word(summary->time), equal);
	if (missing > 0)
		fprintf(out, "missing\t%" PRIu64 "\n", missing);
}

/*
 * Writes the line of a module. The build-id is included if functions of the
 * section have no names.
 */
static void write_module(FILE *out, struct catalog *catalog, uint32_t function,
			 int has_unnamed)
{
	const uint32_t module = catalog->functions[function].module;
	struct export_build_id id;

	if (module == CATALOG_NO_MODULE) {
		fputs("module\t" BASELINE_NO_MODULE "\n", out);
		return;
	}
	fprintf(out, "module\t%s", catalog->modules[module].name);
	id = export_build_id(&catalog->modules[module]);
	if (has_unnamed && *id.text)
		fprintf(out, "\t%s", id.text);
	fputc('\n', out);
}

static void write_function(FILE *out, struct catalog *catalog,
			   uint32_t function, const struct flat_row *row,
			   int has_time)
{
	const struct catalog_function *entry = &catalog->functions[function];

	fprintf(out, "%" PRIu64 "\t", row->self.calls);
	if (catalog_has_name(catalog, function))
		fputs(catalog_name(catalog, function), out);
	else
		fprintf(out, "+0x%" PRIx64, entry->vaddr);
	if (has_time || entry->kind != KIND_NATIVE)
		fprintf(out, "\t%s",
			function_kind_text((enum function_kind)entry->kind));
	if (has_time)
		fprintf(out,
			"\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64,
			row->self.ns, row->self.samples, row->total.ns,
			row->total.samples);
	fputc('\n', out);
}

/*
 * Returns whether a new section begins. A section contains the functions with
 * names of all modules that have one name, or the functions without names of
 * one module.
 */
static int is_new_section(struct catalog *catalog, uint32_t before,
			  uint32_t function)
{
	const struct catalog_function *functions = catalog->functions;
	const int is_named = catalog_has_name(catalog, function);

	return by_module(catalog, functions[before].module,
			 functions[function].module) != 0 ||
	       is_named != catalog_has_name(catalog, before) ||
	       (!is_named &&
		functions[before].module != functions[function].module);
}

static void write_functions(FILE *out, struct catalog *catalog,
			    const uint32_t *functions, const struct flat *flat,
			    int has_time)
{
	uint32_t before = FUNCTION_NONE;

	for (size_t i = 0; i < flat->count; i++) {
		const struct flat_row *row = &flat->rows[i];
		const uint32_t function = functions[row->function - 1];

		if (row->self.calls == 0 && !has_time)
			continue;
		if (before == FUNCTION_NONE ||
		    is_new_section(catalog, before, function))
			write_module(out, catalog, function,
				     !catalog_has_name(catalog, function));
		write_function(out, catalog, function, row, has_time);
		before = function;
	}
}

int export_baseline(struct export *export, FILE *out, char **why)
{
	struct catalog *catalog = &export->session->catalog;
	const int has_time = export->metric == METRIC_TIME;
	size_t count;
	uint32_t *functions = sorted_functions(export->tree, catalog, &count);
	uint32_t *labels =
		label_nodes(export->tree, catalog, functions, &count);
	struct flat flat;

	flat_init(&flat, export->tree, labels, count + 1);
	write_head(out, export, has_time);
	write_functions(out, catalog, functions, &flat, has_time);
	flat_fini(&flat);
	free(functions);
	free(labels);
	return 0;
}
