/* SPDX-License-Identifier: MIT */
/*
 * The format of callgrind's output files.
 *
 * The format has no contexts. For each function it has its own cost by line,
 * and for each calling line the number of calls and their cost. A recursive
 * function's cost contains itself. Here, only the outermost call of a function
 * has the cost of its callees, so the costs of all calls of a function add up
 * to its inclusive cost. All contexts are placed below "(all)", so functions
 * without callers also have a call.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/strings.h"
#include "report/export/export.h"
#include "report/model/announced_lines.h"
#include "report/view/labels.h"

/* Cost of a function, or of its calls of another function, at one location. */
struct cost {
	uint32_t function;
	uint32_t callee; /* 0 for the function itself */
	uint32_t site;   /* index in the catalog; 0 if it is unknown */
	int is_return;   /* whether the site is a return address */
	uint64_t calls;  /* number of calls of the callee */
	struct measure measure;
};

struct callgrind {
	struct export *export;
	struct catalog *catalog;
	FILE *out;
	struct cost *costs;
	size_t count, capacity;
	/* maps (function + 1) << 32 | callee to the pair's number */
	struct idmap pairs;
	struct idmap at; /* maps number << 32 | site to 1 + the cost's index */
	struct strings files;
	size_t known_files; /* number of files whose names were written */
	uint8_t *known;     /* by function: whether its name was written */
	uint8_t *known_modules;
};

static struct cost *cost_at(struct callgrind *callgrind, uint32_t function,
			    uint32_t callee, uint32_t site)
{
	uint64_t *pair = idmap_at(&callgrind->pairs,
				  ((uint64_t)function + 1) << 32 | callee);
	uint64_t *slot;

	if (*pair == 0)
		*pair = callgrind->pairs.used;
	slot = idmap_at(&callgrind->at, *pair << 32 | site);
	if (*slot == 0) {
		callgrind->costs = memory_grow(
			callgrind->costs, callgrind->count,
			&callgrind->capacity, sizeof(*callgrind->costs));
		callgrind->costs[callgrind->count] = (struct cost){
			.function = function,
			.callee = callee,
			.site = site,
		};
		*slot = ++callgrind->count;
	}
	return &callgrind->costs[*slot - 1];
}

/* ---- Collecting ---- */

/* Maps the functions of single lines to the whole function. */
static uint32_t *label_functions(const struct tree *tree,
				 struct catalog *catalog)
{
	uint32_t *labels = labels_of(tree, catalog, LABEL_FUNCTION);

	for (size_t i = 1; i < tree->count; i++)
		labels[i] = whole_function(catalog, labels[i]);
	return labels;
}

static void add_calls(struct callgrind *callgrind)
{
	const struct tree *tree = callgrind->export->tree;
	uint32_t *labels = label_functions(tree, callgrind->catalog);
	uint8_t *outermost = labels_outermost(
		tree, labels, callgrind->catalog->function_count);

	for (size_t i = 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];
		struct cost *cost = cost_at(callgrind, labels[node->parent],
					    labels[i], node->site);

		cost->is_return = node->is_return_site;
		cost->calls += node->calls;
		if (outermost[i]) {
			const struct measure below = tree_below(tree, i);

			measure_add(&cost->measure, &below);
		}
	}
	free(labels);
	free(outermost);
}

/*
 * Adds sampled time by line; calls and the remaining time at the function's
 * first line.
 */
static void add_own(struct callgrind *callgrind)
{
	const struct tree *tree = callgrind->export->tree;

	for (size_t i = 0; i < tree->count; i++) {
		const struct measure self = tree_self(tree, i);

		measure_add(&cost_at(callgrind,
				     whole_function(callgrind->catalog,
						    tree->nodes[i].function),
				     0, 0)
				     ->measure,
			    &self);
	}
	for (size_t i = 0; i < tree->spot_count; i++) {
		const struct tree_spot *spot = &tree->spots[i];
		uint32_t function = whole_function(
			callgrind->catalog, tree->nodes[spot->node].function);

		cost_at(callgrind, function, 0, spot->site)->measure.ns +=
			spot->ns;
		cost_at(callgrind, function, 0, 0)->measure.ns -= spot->ns;
	}
}

static int by_function(const void *left, const void *right)
{
	const struct cost *a = left, *b = right;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return a->site < b->site ? -1 : a->site > b->site;
}

/* ---- Writing ---- */

static void write_measure(struct callgrind *callgrind,
			  const struct measure *measure)
{
	if (!export_has_time(callgrind->export))
		fprintf(callgrind->out, "%" PRIu64 "\n", measure->calls);
	else if (callgrind->export->metric == METRIC_TIME)
		fprintf(callgrind->out, "%" PRIu64 " %" PRIu64 "\n",
			measure->ns, measure->calls);
	else
		fprintf(callgrind->out, "%" PRIu64 " %" PRIu64 "\n",
			measure->calls, measure->ns);
}

static void write_head(struct callgrind *callgrind)
{
	static const char calls[] = "event: Calls : Calls\n";
	const struct value_sum *value = callgrind->export->session->value;
	FILE *out = callgrind->out;
	const struct measure all =
		tree_below(callgrind->export->tree, TREE_ROOT);
	char *command = export_command(callgrind->export);

	fprintf(out,
		"# callgrind format\nversion: 1\ncreator: clew " CLEW_VERSION
		"\ncmd: %s\npositions: line\n",
		command);
	free(command);
	if (value && export_has_time(callgrind->export))
		fprintf(out, "event: Value : %s%s%s%s\n", value->name,
			*unit_text(value->unit) ? " (" : "",
			unit_text(value->unit),
			*unit_text(value->unit) ? ")" : "");
	else if (export_has_time(callgrind->export))
		fputs("event: ns : Time (ns)\n", out);
	fputs(calls, out);
	if (!export_has_time(callgrind->export))
		fputs("events: Calls\n", out);
	else if (callgrind->export->metric == METRIC_TIME)
		fprintf(out, "events: %s Calls\n", value ? "Value" : "ns");
	else
		fprintf(out, "events: Calls %s\n", value ? "Value" : "ns");
	fputs("summary: ", out);
	write_measure(callgrind, &all);
}

/*
 * Writes a name. It is written once, after its number; later the number alone
 * is written.
 */
static void write_name(struct callgrind *callgrind, const char *key,
		       uint32_t number, int is_new, const char *name)
{
	if (is_new)
		fprintf(callgrind->out, "%s=(%" PRIu32 ") %s\n", key,
			number + 1, name);
	else
		fprintf(callgrind->out, "%s=(%" PRIu32 ")\n", key, number + 1);
}

/*
 * Writes the module of a function. The number after the last module stands for
 * functions without a module.
 */
static void write_module(struct callgrind *callgrind, const char *key,
			 uint32_t module)
{
	const struct catalog *catalog = callgrind->catalog;
	size_t number =
		module == CATALOG_NO_MODULE ? catalog->module_count : module;

	write_name(callgrind, key, (uint32_t)number,
		   !callgrind->known_modules[number],
		   module == CATALOG_NO_MODULE
			   ? "???"
			   : catalog->modules[module].printable_path);
	callgrind->known_modules[number] = 1;
}

static void write_function(struct callgrind *callgrind, const char *const *keys,
			   uint32_t function)
{
	const char *file = "???";
	uint32_t line, number;

	write_module(callgrind, keys[0],
		     callgrind->catalog->functions[function].module);
	catalog_place(callgrind->catalog, function, &file, &line);
	number = strings_number(&callgrind->files, file);
	write_name(callgrind, keys[1], number, number >= callgrind->known_files,
		   file);
	callgrind->known_files = callgrind->files.count;
	write_name(callgrind, keys[2], function, !callgrind->known[function],
		   catalog_marked_name(callgrind->catalog, function));
	callgrind->known[function] = 1;
}

/*
 * Returns a line of the function itself, also for inlined code; 0 if it is
 * unknown.
 */
static uint32_t line_of(struct callgrind *callgrind, const struct cost *cost)
{
	struct a2n_frame frames[CATALOG_FRAMES];
	size_t count = export_frames(callgrind->catalog, cost->function,
				     cost->site, cost->is_return, frames);
	const char *file;
	uint32_t line = 0;

	if (count > 0 && frames[count - 1].line > 0)
		return frames[count - 1].line;
	catalog_place(callgrind->catalog, cost->function, &file, &line);
	return line;
}

static void write_cost(struct callgrind *callgrind, const struct cost *cost)
{
	static const char *const callee[] = { "cob", "cfi", "cfn" };
	const char *file;
	uint32_t line = 0;

	if (cost->callee) {
		write_function(callgrind, callee, cost->callee);
		catalog_place(callgrind->catalog, cost->callee, &file, &line);
		/*
		 * Without calls the line would be read as a cost of the caller.
		 * The comment is for clew import.
		 */
		if (!cost->calls)
			fputs("# no calls\n", callgrind->out);
		fprintf(callgrind->out, "calls=%" PRIu64 " %" PRIu32 "\n",
			cost->calls ? cost->calls : 1, line);
	}
	fprintf(callgrind->out, "%" PRIu32 " ", line_of(callgrind, cost));
	write_measure(callgrind, &cost->measure);
}

static void write_costs(struct callgrind *callgrind)
{
	static const char *const function[] = { "ob", "fl", "fn" };

	for (size_t i = 0; i < callgrind->count; i++) {
		const struct cost *cost = &callgrind->costs[i];

		if (i == 0 || cost->function != cost[-1].function) {
			fputc('\n', callgrind->out);
			write_function(callgrind, function, cost->function);
		}
		write_cost(callgrind, cost);
	}
}

int export_callgrind(struct export *export, FILE *out, char **why)
{
	struct catalog *catalog = &export->session->catalog;
	struct callgrind callgrind = {
		.export = export,
		.catalog = catalog,
		.out = out,
		.known = memory_zeroed(catalog->function_count, 1),
		.known_modules = memory_zeroed(catalog->module_count + 1, 1),
	};

	add_calls(&callgrind);
	add_own(&callgrind);
	if (callgrind.count > 1)
		qsort(callgrind.costs, callgrind.count,
		      sizeof(*callgrind.costs), by_function);
	write_head(&callgrind);
	write_costs(&callgrind);
	free(callgrind.costs);
	idmap_fini(&callgrind.pairs);
	idmap_fini(&callgrind.at);
	strings_fini(&callgrind.files);
	free(callgrind.known);
	free(callgrind.known_modules);
	return 0;
}
