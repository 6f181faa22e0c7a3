/* SPDX-License-Identifier: MIT */
/* The pane with the table of `clew report`. */
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/show/pane.h"
#include "report/view/flat.h"
#include "report/view/flat_lines.h"
#include "report/view/labels.h"
#include "report/write/text_rows.h"

/* The kinds of rows, as some of `clew report --by`. */
static const struct row_kind {
	const char *name;
	enum label_by label;
	/* For rows of samples: creates the table. */
	void (*init)(struct flat *flat, const struct tree *tree,
		     struct catalog *catalog);
} kinds[] = {
	{ "function", LABEL_FUNCTION, NULL },
	{ "module", LABEL_MODULE, NULL },
	{ "line", LABEL_FUNCTION, flat_init_lines },
	{ "address", LABEL_FUNCTION, flat_init_addresses },
};

enum { KINDS = sizeof(kinds) / sizeof(*kinds) };

/* Columns to sort by, in the order in which the key s selects them. */
static const enum flat_key time_keys[] = { FLAT_SELF,  FLAT_TOTAL,
					   FLAT_CALLS, FLAT_PER_CALL,
					   FLAT_NAME,  FLAT_MODULE };
static const enum flat_key call_keys[] = { FLAT_CALLS,   FLAT_CONTEXTS,
					   FLAT_CALLERS, FLAT_CALLEES,
					   FLAT_NAME,    FLAT_MODULE };

enum { KEYS = sizeof(time_keys) / sizeof(*time_keys) };

struct table_pane {
	struct pane pane;
	size_t kind; /* index in kinds */
	/* index in time_keys and call_keys */
	size_t keys[METRIC_TIME + 1];
	struct flat flat;
	int has_flat;
	struct flat_view view;
	struct text_table table;
};

/* Returns the column by which the rows are sorted. */
static enum flat_key key_of(const struct table_pane *table)
{
	const enum metric metric = table->pane.viewed->session->metric;
	const size_t key = table->keys[metric];

	return metric == METRIC_TIME ? time_keys[key] : call_keys[key];
}

static void sort(struct table_pane *table)
{
	struct session *session = table->pane.viewed->session;
	const struct flat_keys keys = {
		.keys = { key_of(table) },
		.count = 1,
	};

	flat_sort(&table->flat, &keys, &session->catalog);
}

static void forget(struct table_pane *table)
{
	if (table->has_flat)
		flat_fini(&table->flat);
	table->has_flat = 0;
}

/*
 * Selects the row of a function. If the function has no row, keeps the selected
 * index.
 */
static void select_function(struct table_pane *table, uint32_t function)
{
	for (size_t i = 0; i < table->flat.count; i++)
		if (table->flat.rows[i].function == function) {
			screen_list_select(&table->pane.list, i);
			return;
		}
	screen_list_select(&table->pane.list, table->pane.list.selected);
}

static void update(struct pane *pane)
{
	struct table_pane *table = (struct table_pane *)pane;
	struct session *session = pane->viewed->session;
	const struct row_kind *kind = &kinds[table->kind];

	forget(table);
	if (kind->init) {
		kind->init(&table->flat, &session->tree, &session->catalog);
	} else {
		uint32_t *labels = labels_of(&session->tree, &session->catalog,
					     kind->label);

		flat_init(&table->flat, &session->tree, labels,
			  session->catalog.function_count);
		flat_find_lacking(&table->flat, &session->tree, labels,
				  session->catalog.function_count,
				  &session->catalog);
		free(labels);
	}
	table->has_flat = 1;
	flat_select(&table->flat, &pane->viewed->options->selection,
		    &session->catalog);
	sort(table);
	table->view = (struct flat_view){
		.flat = &table->flat,
		.what = kind->name,
		.selection = &pane->viewed->options->selection,
	};
	pane->list.count = table->flat.count;
	select_function(table, pane->viewed->function);
}

static void layout(struct pane *pane)
{
	struct table_pane *table = (struct table_pane *)pane;

	text_table_init(&table->table, pane->viewed->session, &table->view);
}

static char *state(struct pane *pane)
{
	const struct table_pane *table = (const struct table_pane *)pane;

	return memory_printf("%s row%s by %s, sorted by %s",
			     text_grouped(table->flat.count).text,
			     text_plural(table->flat.count),
			     kinds[table->kind].name,
			     flat_key_names[key_of(table)]);
}

static void heading(FILE *out, struct pane *pane)
{
	struct table_pane *table = (struct table_pane *)pane;

	text_table_heading(&table->table, out);
}

static void write_row(FILE *out, void *context, size_t row)
{
	struct table_pane *table = context;

	text_table_row(&table->table, out, row);
}

static uint32_t function_of(struct pane *pane, size_t row)
{
	const struct table_pane *table = (const struct table_pane *)pane;

	return kinds[table->kind].label == LABEL_FUNCTION &&
			       !kinds[table->kind].init
		       ? table->flat.rows[row].function
		       : FUNCTION_NONE;
}

static void sort_by_next(struct table_pane *table, size_t step)
{
	struct pane *pane = &table->pane;

	size_t *key = &table->keys[pane->viewed->session->metric];

	*key = (*key + step) % KEYS;
	sort(table);
	screen_list_select(&pane->list, 0);
}

/*
 * Shows the next kind of rows. Kinds that show samples are skipped without
 * samples.
 */
static void show_next_kind(struct table_pane *table)
{
	const struct session *session = table->pane.viewed->session;

	do
		table->kind = (table->kind + 1) % KINDS;
	while (kinds[table->kind].init && !session->summary.samples);
	table->pane.list = (struct screen_list){ 0 };
	table->pane.is_stale = 1;
}

static int obey(struct pane *pane, int key)
{
	struct table_pane *table = (struct table_pane *)pane;

	switch (key) {
	case 's':
		sort_by_next(table, 1);
		return 1;
	case 'S':
		sort_by_next(table, KEYS - 1);
		return 1;
	case 'r':
		show_next_kind(table);
		return 1;
	default:
		return 0;
	}
}

static void fini(struct pane *pane)
{
	forget((struct table_pane *)pane);
}

static const struct pane_kind table_kind = {
	.name = "functions",
	.keys = "Enter butterfly  a annotate  s sort  r rows  m calls/time",
	.update = update,
	.layout = layout,
	.state = state,
	.heading = heading,
	.row = write_row,
	.function = function_of,
	.key = obey,
	.find = pane_find_function,
	.fini = fini,
};

struct pane *table_pane_create(struct viewed *viewed)
{
	struct table_pane *table = memory_zeroed(1, sizeof(*table));

	table->pane = (struct pane){ .kind = &table_kind,
				     .viewed = viewed,
				     .is_stale = 1 };
	return &table->pane;
}
