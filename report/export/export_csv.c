/* SPDX-License-Identifier: MIT */
/*
 * Tables of comma-separated values, quoted according to RFC 4180. Names come
 * from untrusted files, and spreadsheets evaluate text that begins with =, +, -
 * or @ as a formula. Names of this kind are therefore preceded by an
 * apostrophe.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/export/export.h"
#include "report/view/flat.h"
#include "report/view/labels.h"

static void write_text(FILE *out, const char *text)
{
	int is_formula = *text != '\0' && strchr("=+-@", *text) != NULL;

	if (!is_formula && !strpbrk(text, ",\"")) {
		fputs(text, out);
		return;
	}
	fputs(is_formula ? "\"'" : "\"", out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* Writes "function,module,vaddr,file,line". */
static void write_function(FILE *out, struct catalog *catalog,
			   uint32_t function)
{
	const struct catalog_function *entry = &catalog->functions[function];
	const char *file;
	uint32_t line;

	write_text(out, catalog_marked_name(catalog, function));
	fputc(',', out);
	if (entry->module != CATALOG_NO_MODULE)
		write_text(out, catalog->modules[entry->module].printable_path);
	fputc(',', out);
	if (entry->module != CATALOG_NO_MODULE && !entry->is_named)
		fprintf(out, "%#" PRIx64, entry->vaddr);
	fputc(',', out);
	if (catalog_place(catalog, function, &file, &line)) {
		write_text(out, file);
		fprintf(out, ",%" PRIu32, line);
	} else {
		fputc(',', out);
	}
}

static void write_row(FILE *out, struct catalog *catalog,
		      const struct flat_row *row)
{
	write_function(out, catalog, row->function);
	fprintf(out,
		",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
		",%" PRIu64 ",%" PRIu32 ",%" PRIu32 "\n",
		row->self.calls, row->total.calls, row->self.ns, row->total.ns,
		row->self.samples, row->contexts, row->callers, row->callees);
}

static const char *self_column(const struct export *export)
{
	return export->session->value ? "self_value" : "self_ns";
}

static const char *total_column(const struct export *export)
{
	return export->session->value ? "total_value" : "total_ns";
}

int export_csv(struct export *export, FILE *out, char **why)
{
	struct catalog *catalog = &export->session->catalog;
	uint32_t *labels = labels_of(export->tree, catalog, LABEL_FUNCTION);
	struct flat_keys keys = {
		.keys = { export->metric == METRIC_TIME ? FLAT_SELF
							: FLAT_CALLS,
			  FLAT_NAME, FLAT_MODULE },
		.count = 3,
	};
	struct flat flat;

	flat_init(&flat, export->tree, labels, catalog->function_count);
	flat_sort(&flat, &keys, catalog);
	fprintf(out,
		"function,module,vaddr,file,line,calls,calls_below,%s,%s,"
		"samples,contexts,callers,callees\n",
		self_column(export), total_column(export));
	for (size_t i = 0; i < flat.count; i++)
		write_row(out, catalog, &flat.rows[i]);
	flat_fini(&flat);
	free(labels);
	return 0;
}

int export_csv_contexts(struct export *export, FILE *out, char **why)
{
	struct catalog *catalog = &export->session->catalog;

	fprintf(out,
		"context,parent,depth,function,module,vaddr,file,line,calls,"
		"calls_below,%s,%s,samples,tail\n",
		self_column(export), total_column(export));
	for (size_t i = 1; i < export->tree->count; i++) {
		const struct tree_node *node = &export->tree->nodes[i];
		const struct measure self = tree_self(export->tree, i);
		const struct measure below = tree_below(export->tree, i);

		export_tell(export, i);
		fprintf(out, "%zu,%" PRIu32 ",%" PRIu32 ",", i, node->parent,
			node->depth);
		write_function(out, catalog, node->function);
		fprintf(out,
			",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
			",%" PRIu64 ",%" PRIu64 "\n",
			self.calls, below.calls, self.ns, below.ns,
			self.samples, self.tails);
	}
	return 0;
}
