/* SPDX-License-Identifier: MIT */
/* The pane with a function, its callers and its callees. */
#include <stdlib.h>

#include "base/memory.h"
#include "cli/show/pane.h"
#include "report/view/butterfly.h"
#include "report/write/text_rows.h"
#include "report/write/text_writer.h"

struct butterfly_pane {
	struct pane pane;
	/* the function; FUNCTION_NONE if there are no rows */
	uint32_t function;
	enum metric metric;       /* metric by which the rows are sorted */
	unsigned int tree_number; /* the tree that contains the rows */
	struct butterfly butterfly;
	struct butterfly_view view;
	char *name;
	/* Functions to which Backspace leads back, the latest at the end. */
	uint32_t *before;
	size_t before_count, before_capacity;
};

static size_t callers_of(const struct butterfly_pane *shown)
{
	return shown->butterfly.caller_count;
}

static void forget(struct butterfly_pane *shown)
{
	if (shown->function != FUNCTION_NONE)
		butterfly_fini(&shown->butterfly);
	free(shown->name);
	shown->name = NULL;
	shown->function = FUNCTION_NONE;
	shown->pane.list = (struct screen_list){ 0 };
}

static void show_function(struct butterfly_pane *shown, uint32_t function)
{
	struct session *session = shown->pane.viewed->session;
	struct catalog *catalog = &session->catalog;
	uint8_t *chosen = memory_zeroed(catalog->function_count, 1);

	forget(shown);
	chosen[function] = 1;
	butterfly_init(&shown->butterfly, &session->tree, catalog, chosen,
		       session->metric);
	free(chosen);
	shown->function = function;
	shown->metric = session->metric;
	shown->tree_number = shown->pane.viewed->tree_number;
	shown->pane.list.count =
		callers_of(shown) + 1 + shown->butterfly.callee_count;
	screen_list_select(&shown->pane.list, callers_of(shown));
}

/*
 * Shows a function. If another one was shown before, Backspace leads back to
 * it.
 */
static void go_to(struct butterfly_pane *shown, uint32_t function)
{
	if (shown->function != FUNCTION_NONE && function != shown->function) {
		shown->before = memory_grow(shown->before, shown->before_count,
					    &shown->before_capacity,
					    sizeof(*shown->before));
		shown->before[shown->before_count++] = shown->function;
	}
	show_function(shown, function);
}

static void update(struct pane *pane)
{
	struct butterfly_pane *shown = (struct butterfly_pane *)pane;
	const uint32_t function =
		pane->is_opened ? pane->viewed->function : shown->function;

	if (function != FUNCTION_NONE &&
	    (function != shown->function ||
	     shown->metric != pane->viewed->session->metric ||
	     shown->tree_number != pane->viewed->tree_number))
		go_to(shown, function);
}

static void layout(struct pane *pane)
{
	struct butterfly_pane *shown = (struct butterfly_pane *)pane;
	struct session *session = pane->viewed->session;
	const char *name;

	text_begin_names(session, 0);
	if (shown->function == FUNCTION_NONE)
		return;
	name = shown_name(&session->names, &session->catalog, shown->function);
	free(shown->name);
	shown->name = memory_printf("%s", name);
	shown->view = (struct butterfly_view){ .butterfly = &shown->butterfly,
					       .name = shown->name };
}

static char *state(struct pane *pane)
{
	const struct butterfly_pane *shown =
		(const struct butterfly_pane *)pane;

	if (shown->function == FUNCTION_NONE)
		return memory_printf("no function is selected: choose one in "
				     "the functions or the tree");
	return memory_printf("%zu caller%s and %zu callee%s of %s",
			     shown->butterfly.caller_count,
			     shown->butterfly.caller_count == 1 ? "" : "s",
			     shown->butterfly.callee_count,
			     shown->butterfly.callee_count == 1 ? "" : "s",
			     shown->name);
}

static void heading(FILE *out, struct pane *pane)
{
	text_butterfly_heading(out, pane->viewed->session);
}

static void write_row(FILE *out, void *context, size_t row)
{
	struct butterfly_pane *shown = context;

	text_butterfly_row(out, shown->pane.viewed->session, &shown->view, row);
}

static uint32_t function_of(struct pane *pane, size_t row)
{
	const struct butterfly_pane *shown =
		(const struct butterfly_pane *)pane;
	const size_t callers = callers_of(shown);

	if (row < callers)
		return shown->butterfly.callers[row].function;
	if (row == callers)
		return shown->function;
	return shown->butterfly.callees[row - callers - 1].function;
}

/* Shows the function of the selected row, unless it is shown already. */
static void follow(struct butterfly_pane *shown)
{
	const uint32_t function =
		function_of(&shown->pane, shown->pane.list.selected);

	if (function == FUNCTION_NONE || function == shown->function)
		return;
	go_to(shown, function);
	layout(&shown->pane);
}

static int obey(struct pane *pane, int key)
{
	struct butterfly_pane *shown = (struct butterfly_pane *)pane;

	if (pane->list.count == 0)
		return 0;
	if (key == SCREEN_ENTER) {
		follow(shown);
		return 1;
	}
	if (key == SCREEN_BACKSPACE && shown->before_count > 0) {
		show_function(shown, shown->before[--shown->before_count]);
		layout(pane);
		return 1;
	}
	return 0;
}

static void fini(struct pane *pane)
{
	struct butterfly_pane *shown = (struct butterfly_pane *)pane;

	forget(shown);
	free(shown->before);
}

static const struct pane_kind butterfly_kind = {
	.name = "butterfly",
	.keys = "Enter choose  Backspace back  a annotate  m calls/time",
	.update = update,
	.layout = layout,
	.state = state,
	.heading = heading,
	.row = write_row,
	.function = function_of,
	.key = obey,
	.find = pane_find_function,
	.follows_function = 1,
	.fini = fini,
};

struct pane *butterfly_pane_create(struct viewed *viewed)
{
	struct butterfly_pane *shown = memory_zeroed(1, sizeof(*shown));

	shown->pane = (struct pane){ .kind = &butterfly_kind,
				     .viewed = viewed,
				     .is_stale = 1 };
	return &shown->pane;
}
