/* SPDX-License-Identifier: MIT */
/* See view_screen.h. */
#include "cli/show/view_screen.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/show/pane.h"
#include "cli/target/ending_signals.h"
#include "report/view/finder.h"
#include "report/write/text_writer.h"

static const char help_text[] =
	"clew view: what a recording contains\n"
	"\n"
	"1 to 6            functions, tree, butterfly, annotate, calls, "
	"summary\n"
	"Tab               the next of these\n"
	"b  a              butterfly (callers and callees) or annotate the "
	"function\n"
	"Esc  Backspace    the pane before\n"
	"Up Down j k       choose a row; also Page Up, Page Down, Home, End, "
	"g, G\n"
	"/  n  N           search; the next match, the one before; Esc: end\n"
	"m                 time or calls\n"
	"o                 fold or unfold inlined functions (reads again)\n"
	"F  H              focus on the function, or hide it and its callees\n"
	"M  C              fold the function's module, or all recursion\n"
	"u                 undo the last of F, H, M and C\n"
	"h ?               these keys\n"
	"q                 quit; on this page: back\n"
	"\n"
	"Functions\n"
	"Enter             butterfly of the row\n"
	"s  S              sort by the next column, or the one before\n"
	"r                 rows: functions, modules, lines, addresses\n"
	"\n"
	"Tree\n"
	"Right Left        open and close the row; then go to the callee, the "
	"caller\n"
	"Enter Space       open or close the row\n"
	"e                 open the hottest path below the row\n"
	"i                 callers of the selected function, and back\n"
	"%                 share of the total, or of the caller\n"
	"\n"
	"Butterfly\n"
	"Enter             show the row's function; Backspace: the one "
	"before\n"
	"\n"
	"Calls (of a trace)\n"
	"s  S              sort by total, maximum, 99 %, or number of calls\n"
	"Enter             the slowest calls; then what the row's call did\n"
	"c                 compare the slowest call with the median one\n"
	"Backspace         back\n"
	"\n"
	"Annotate\n"
	"s                 source lines, instructions, or both\n"
	"A                 also code without time\n"
	"Left Right        scroll, as in a call\n"
	"/                 search text, as in a call\n"
	"\n"
	"A search finds functions by a regular expression, which ignores case "
	"unless it\n"
	"has a capital letter, and as options do: by a short name, an address\n"
	"(0x12e0, module+0x12e0) or a source line (parse.c:12).\n";

enum {
	PANE_TABLE,
	PANE_TREE,
	PANE_BUTTERFLY,
	PANE_ANNOTATE,
	PANE_CALLS,
	PANE_SUMMARY,
	PANES,
};

struct view_screen {
	struct viewed viewed;
	/*
	 * The panes. The last one, which shows the summary, is NULL because it
	 * is a page of text.
	 */
	struct pane *panes[PANES];
	size_t open;              /* index of the open pane */
	size_t before;            /* the pane that was open before it */
	struct screen_page page;  /* help, until the user closes it */
	struct screen_page facts; /* the page with the summary */
	struct screen_input search;
	struct view_steps *steps; /* the chosen transforms */
	/*
	 * the tree before all steps; unset without steps, since session->tree
	 * is then this tree
	 */
	struct tree whole;
	char *total;          /* the first line of the summary */
	unsigned int columns; /* width for which the open pane was laid out */
	int is_over;
	enum view_screen_end end;
};

void viewed_say(struct viewed *viewed, char *message)
{
	free(viewed->message);
	viewed->message = message;
}

void viewed_announce(const char *message)
{
	screen_line(2, message, LOOK_PLAIN);
	screen_finish();
}

static struct pane *open_pane(const struct view_screen *screen)
{
	return screen->panes[screen->open];
}

/* ---- The summary ---- */

/*
 * Returns the footer of reports, with details if has_details. The caller frees
 * it.
 */
static char *summary_text(struct session *session, int has_details)
{
	const int had_details = session->shows_details;
	char *text = NULL;
	size_t bytes;
	FILE *out = memory_stream(&text, &bytes);

	session->shows_details = has_details;
	if (has_details)
		fprintf(out, "%s\n", session->command);
	text_summary(out, session);
	session->shows_details = had_details;
	fclose(out);
	return text;
}

/* Returns the first line of the summary that is not empty. */
static char *total_line(struct session *session)
{
	const unsigned int width = session->width;
	char *text, *line;

	session->width = 0;
	text = summary_text(session, 0);
	session->width = width;
	line = memory_string(text + strspn(text, "\n"),
			     strcspn(text + strspn(text, "\n"), "\n"));
	free(text);
	return line;
}

/* ---- Drawing ---- */

/* Returns "1 functions  2 tree ...", with the open pane in brackets. */
static char *tabs_text(const struct view_screen *screen)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = memory_stream(&text, &bytes);

	for (size_t i = 0; i < PANES; i++)
		fprintf(out, i == screen->open ? "[%zu %s] " : " %zu %s  ",
			i + 1,
			i == PANE_SUMMARY ? "summary"
					  : screen->panes[i]->kind->name);
	fclose(out);
	return text;
}

/* Returns the state of the pane, after the transforms of its rows. */
static char *pane_text(const struct view_screen *screen, struct pane *pane)
{
	char *steps, *text, *both;

	text = pane->kind->state(pane);
	if (screen->steps->count == 0 || pane == screen->panes[PANE_CALLS])
		return text;
	steps = view_steps_text(screen->steps);
	both = memory_printf("%s (u: undo): %s", steps, text);
	free(steps);
	free(text);
	return both;
}

static char *state_text(const struct view_screen *screen)
{
	struct pane *pane = open_pane(screen);

	if (screen->search.is_typing)
		return memory_printf("search: %s_", screen->search.text);
	if (screen->viewed.message)
		return memory_printf("%s", screen->viewed.message);
	return pane ? pane_text(screen, pane) : memory_printf("%s", "");
}

static void draw_frame(const struct view_screen *screen)
{
	struct pane *pane = open_pane(screen);
	char *keys;

	screen_take_line(0,
			 memory_printf("clew view %s  %s",
				       screen->viewed.options->path,
				       screen->total),
			 LOOK_BOLD);
	screen_take_line(1, tabs_text(screen), LOOK_PLAIN);
	screen_take_line(2, state_text(screen), LOOK_PLAIN);
	keys = screen->page.text ? memory_printf("q back  arrows scroll")
				 : memory_printf("? help  q quit  %s",
						 pane ? pane->kind->keys
						      : "arrows scroll");
	screen_keys(keys);
	free(keys);
}

/* Finds and lays out the rows of the open pane if anything has changed. */
static void prepare(struct view_screen *screen)
{
	struct session *session = screen->viewed.session;
	struct pane *pane = open_pane(screen);
	const unsigned int columns = screen_columns();

	if (pane && pane->is_stale) {
		pane->kind->update(pane);
		pane->is_stale = pane->is_opened = 0;
		screen->columns = 0;
	}
	if (screen->columns == columns && (pane || screen->facts.text))
		return;
	screen->columns = columns;
	session->columns = session->width = columns;
	if (pane)
		pane->kind->layout(pane);
	else
		screen_page_set(&screen->facts, summary_text(session, 1));
}

static void draw_pane(struct pane *pane)
{
	char *heading = NULL;
	size_t bytes;
	FILE *out = memory_stream(&heading, &bytes);

	pane->kind->heading(out, pane);
	fclose(out);
	screen_list_draw(&pane->list, heading, pane->kind->row, pane);
	free(heading);
}

static void draw(struct view_screen *screen)
{
	prepare(screen);
	screen_begin();
	draw_frame(screen);
	if (screen->page.text)
		screen_page_draw(&screen->page, "");
	else if (open_pane(screen))
		draw_pane(open_pane(screen));
	else
		screen_page_draw(&screen->facts, "");
	screen_finish();
}

/* ---- The selected function ---- */

/*
 * Makes the function of the selected row, if it has one, the selected function.
 */
static void take_function(struct view_screen *screen)
{
	struct pane *pane = open_pane(screen);
	uint32_t function;

	/* The rows of a stale pane may be those of a former tree. */
	if (!pane || pane->is_stale || pane->list.selected >= pane->list.count)
		return;
	function = pane->kind->function(pane, pane->list.selected);
	if (function != FUNCTION_NONE)
		screen->viewed.function = function;
}

static void open_tab(struct view_screen *screen, size_t pane)
{
	if (pane >= PANES || pane == screen->open)
		return;
	screen->before = screen->open;
	screen->open = pane;
	screen->columns = 0;
	if (open_pane(screen) && open_pane(screen)->kind->follows_function)
		open_pane(screen)->is_opened = open_pane(screen)->is_stale = 1;
}

/* ---- Searching ---- */

/*
 * Adds the candidates whose full names match a regular expression. Ignores case
 * unless the text has a capital letter. Adds nothing if the text is no regular
 * expression.
 */
static void add_regex_matches(struct catalog *catalog, const char *text,
			      const uint8_t *candidates, uint8_t *matches)
{
	const int flags = REG_EXTENDED | REG_NOSUB;
	const char *c = text;
	regex_t regex;

	while (*c && !(*c >= 'A' && *c <= 'Z'))
		c++;
	if (regcomp(&regex, text, *c ? flags : flags | REG_ICASE) != 0)
		return;
	for (uint32_t i = FUNCTION_UNKNOWN; i < catalog->function_count; i++)
		if (candidates[i] &&
		    regexec(&regex, catalog_name(catalog, i), 0, NULL, 0) == 0)
			matches[i] = 1;
	regfree(&regex);
}

/*
 * Returns a mask of the candidates that a text names, or matches as a regular
 * expression.
 */
static uint8_t *matches_of(struct catalog *catalog, const uint8_t *candidates,
			   const char *text)
{
	const size_t room = catalog->function_count;
	uint8_t *matches = memory_zeroed(room + 1, 1);
	struct found_functions found;

	if (finder_find(catalog, candidates, text, &found) != -ESRCH) {
		memcpy(matches, found.chosen, room);
		found_fini(&found);
	}
	add_regex_matches(catalog, text, candidates, matches);
	return matches;
}

/* Returns the sum of the outermost contexts of matching functions. */
static uint64_t sum_of_matches(const struct viewed *viewed)
{
	const struct session *session = viewed->session;
	const struct tree *tree = &session->tree;
	uint8_t *is_inside = memory_zeroed(tree->count, 1);
	uint64_t sum = 0;

	for (size_t i = TREE_ROOT + 1; i < tree->count; i++) {
		const struct tree_node *node = &tree->nodes[i];

		is_inside[i] = is_inside[node->parent];
		if (is_inside[i] || !viewed_matches(viewed, node->function))
			continue;
		is_inside[i] = 1;
		sum += tree_below_of(tree, i, session->metric);
	}
	free(is_inside);
	return sum;
}

/* Shows what the search found. Returns whether there is anything. */
static int say_matches(struct view_screen *screen)
{
	struct viewed *viewed = &screen->viewed;
	const struct session *session = viewed->session;
	const uint64_t all =
		tree_below_of(&session->tree, TREE_ROOT, session->metric);
	uint64_t functions = 0;

	for (size_t i = 0; i < viewed->match_room; i++)
		functions += viewed->matches[i];
	if (functions == 0) {
		viewed_say(viewed, memory_printf("%s: no function matches",
						 screen->search.text));
		return 0;
	}
	viewed_say(
		viewed,
		memory_printf("%s: %s function%s, %.1f %% of the %s; n next, "
			      "N previous, Esc ends",
			      screen->search.text, text_grouped(functions).text,
			      text_plural(functions),
			      all ? 100 * (double)sum_of_matches(viewed) /
					      (double)all
				  : 0.0,
			      session->metric == METRIC_CALLS ? "calls"
			      : session->value ? session->value->name
					       : "time"));
	return 1;
}

static void end_search(struct view_screen *screen)
{
	free(screen->viewed.matches);
	screen->viewed.matches = NULL;
	screen->viewed.match_room = 0;
	screen->viewed.searched = "";
}

int pane_find_function(struct pane *pane, int is_backward)
{
	const size_t count = pane->list.count;
	size_t row = pane->list.selected;

	for (size_t i = 0; i < count; i++) {
		row = is_backward ? (row + count - 1) % count
				  : (row + 1) % count;
		if (viewed_matches(pane->viewed,
				   pane->kind->function(pane, row))) {
			screen_list_select(&pane->list, row);
			return 1;
		}
	}
	return 0;
}

static void find_next(struct view_screen *screen, int is_backward)
{
	struct pane *pane = open_pane(screen);

	if (!screen->viewed.matches || !pane)
		return;
	if (!pane->kind->find(pane, is_backward))
		viewed_say(&screen->viewed,
			   memory_printf("%s: no row of this pane matches",
					 screen->search.text));
}

static int is_text_shown(const struct view_screen *screen)
{
	const struct pane *pane = open_pane(screen);

	return pane && pane->kind->is_text && pane->kind->is_text(pane);
}

static void search(struct view_screen *screen)
{
	struct viewed *viewed = &screen->viewed;
	struct catalog *catalog = &viewed->session->catalog;
	struct pane *pane = open_pane(screen);
	uint8_t *called;

	end_search(screen);
	if (!*screen->search.text)
		return;
	viewed_announce("searching...");
	called = finder_called(catalog, &viewed->session->tree);
	viewed->matches = matches_of(catalog, called, screen->search.text);
	viewed->match_room = catalog->function_count;
	viewed->searched = screen->search.text;
	free(called);
	if (!is_text_shown(screen) && !say_matches(screen))
		return;
	/* The selected row may match already. */
	if (pane && !is_text_shown(screen) &&
	    pane->list.selected < pane->list.count &&
	    viewed_matches(viewed,
			   pane->kind->function(pane, pane->list.selected)))
		return;
	find_next(screen, 0);
}

/* ---- Keys ---- */

static void type(struct view_screen *screen, int key)
{
	switch (screen_input_key(&screen->search, key)) {
	case INPUT_ENTERED:
		search(screen);
		break;
	case INPUT_CANCELLED:
		end_search(screen);
		break;
	default:
		break;
	}
}

/* Makes the panes find their rows again. */
static void outdate_panes(struct view_screen *screen)
{
	for (size_t i = 0; i < PANES; i++)
		if (screen->panes[i])
			screen->panes[i]->is_stale = 1;
}

static void change_metric(struct view_screen *screen)
{
	struct session *session = screen->viewed.session;

	if (session->metric == METRIC_CALLS && session->summary.time_ns == 0) {
		viewed_say(&screen->viewed,
			   memory_printf("the recording has no time"));
		return;
	}
	if (session->metric == METRIC_TIME && session->summary.calls == 0) {
		viewed_say(&screen->viewed,
			   memory_printf("the recording has no calls"));
		return;
	}
	session->metric =
		session->metric == METRIC_TIME ? METRIC_CALLS : METRIC_TIME;
	outdate_panes(screen);
}

/* ---- Transforms, and keys of the whole screen ---- */

/* Shows another tree. The former one is freed, or stored as the whole. */
static void replace_tree(struct view_screen *screen, const struct tree *tree,
			 int is_first)
{
	struct session *session = screen->viewed.session;

	if (is_first)
		screen->whole = session->tree;
	else
		tree_fini(&session->tree);
	session->tree = *tree;
	screen->viewed.tree_number++;
	outdate_panes(screen);
}

/*
 * Returns the function of the selected row. FUNCTION_NONE if the row has no
 * function or stands for a process or thread, to which no transform applies, or
 * if the open pane does not list functions.
 */
static uint32_t function_in_row(const struct view_screen *screen)
{
	const struct catalog *catalog = &screen->viewed.session->catalog;
	struct pane *pane = open_pane(screen);
	uint32_t function;

	if (screen->open > PANE_BUTTERFLY ||
	    pane->list.selected >= pane->list.count)
		return FUNCTION_NONE;
	function = pane->kind->function(pane, pane->list.selected);
	return function != FUNCTION_NONE &&
			       catalog->functions[function].kind == KIND_GROUP
		       ? FUNCTION_NONE
		       : function;
}

static void add_step(struct view_screen *screen, enum view_step_kind kind)
{
	struct session *session = screen->viewed.session;
	struct view_steps *steps = screen->steps;
	const size_t before = steps->count;
	const uint32_t function = function_in_row(screen);
	struct tree tree;

	if (function == FUNCTION_NONE && kind != STEP_FOLD_RECURSION) {
		viewed_say(&screen->viewed,
			   memory_printf("select a function in the functions, "
					 "the tree or the butterfly first"));
		return;
	}
	if (view_steps_add(steps, kind, &session->catalog, function) != 0) {
		viewed_say(&screen->viewed,
			   memory_printf("the row belongs to no module"));
		return;
	}
	viewed_announce("transforming...");
	if (view_steps_apply(steps, before, &session->catalog, &session->tree,
			     &tree) != 0) {
		view_steps_drop(steps);
		viewed_say(&screen->viewed,
			   memory_printf("nothing would remain to be shown"));
		return;
	}
	replace_tree(screen, &tree, before == 0);
}

static void undo_step(struct view_screen *screen)
{
	struct session *session = screen->viewed.session;
	struct view_steps *steps = screen->steps;
	struct tree tree = screen->whole;

	if (steps->count == 0)
		return;
	view_steps_drop(steps);
	viewed_announce("transforming...");
	if (steps->count > 0)
		view_steps_apply(steps, 0, &session->catalog, &screen->whole,
				 &tree);
	replace_tree(screen, &tree, 0);
}

/*
 * Applies the steps to the session's tree. While nothing of it would remain,
 * drops the last step and tries again.
 */
static void repeat_steps(struct view_screen *screen)
{
	struct session *session = screen->viewed.session;
	struct tree tree;

	while (screen->steps->count > 0) {
		if (view_steps_apply(screen->steps, 0, &session->catalog,
				     &session->tree, &tree) == 0) {
			replace_tree(screen, &tree, 1);
			return;
		}
		view_steps_drop(screen->steps);
	}
}

static void obey_any(struct view_screen *screen, int key)
{
	switch (key) {
	case 'q':
		screen->is_over = 1;
		break;
	case '/':
		screen->search = (struct screen_input){ .is_typing = 1 };
		break;
	case 'n':
	case 'N':
		find_next(screen, key == 'N');
		break;
	case 'm':
		change_metric(screen);
		break;
	case 'o':
		screen->end = VIEW_READS_AGAIN;
		screen->is_over = 1;
		break;
	case 'F':
		add_step(screen, STEP_FOCUS);
		break;
	case 'H':
		add_step(screen, STEP_HIDE);
		break;
	case 'M':
		add_step(screen, STEP_FOLD_MODULE);
		break;
	case 'C':
		add_step(screen, STEP_FOLD_RECURSION);
		break;
	case 'u':
		undo_step(screen);
		break;
	case '\t':
		open_tab(screen, (screen->open + 1) % PANES);
		break;
	case 'b':
	case SCREEN_ENTER:
		open_tab(screen, PANE_BUTTERFLY);
		break;
	case 'a':
		open_tab(screen, PANE_ANNOTATE);
		break;
	case SCREEN_ESCAPE:
	case SCREEN_BACKSPACE:
		if (key == SCREEN_ESCAPE && screen->viewed.matches)
			end_search(screen);
		else
			open_tab(screen, screen->before);
		break;
	default:
		if (key >= '1' && key <= '9')
			open_tab(screen, (size_t)(key - '1'));
	}
}

static void obey_page(struct view_screen *screen, int key)
{
	if (screen_list_move(&screen->page.list, key))
		return;
	if (key == 'q' || key == SCREEN_ESCAPE || key == SCREEN_ENTER)
		screen_page_clear(&screen->page);
}

static void obey(struct view_screen *screen, int key)
{
	struct pane *pane = open_pane(screen);

	if (screen->search.is_typing) {
		type(screen, key);
		take_function(screen);
		return;
	}
	viewed_say(&screen->viewed, NULL);
	if (key == 'h' || key == '?') {
		screen_page_set(&screen->page,
				memory_string(help_text, strlen(help_text)));
	} else if (screen->page.text) {
		obey_page(screen, key);
	} else if (!screen_list_move(pane ? &pane->list : &screen->facts.list,
				     key) &&
		   (!pane || !pane->kind->key(pane, key))) {
		obey_any(screen, key);
	}
	take_function(screen);
}

/* ---- Opening, the loop, and closing ---- */

/* Returns the first function with this full name, or FUNCTION_NONE. */
static uint32_t function_named(struct session *session, const char *name)
{
	uint32_t found = FUNCTION_NONE;
	uint8_t *mask;

	if (!name ||
	    finder_mask(&session->catalog, NULL, name, &mask) == -ESRCH)
		return FUNCTION_NONE;
	for (uint32_t i = 0; mask && i < session->catalog.function_count; i++)
		if (mask[i]) {
			found = i;
			break;
		}
	free(mask);
	return found;
}

static void init(struct view_screen *screen, struct view_screen_state *state)
{
	struct session *session = screen->viewed.session;

	/* Messages about the progress would be drawn over the screen. */
	session->catalog.progress = NULL;
	screen->viewed.function = function_named(session, state->function);
	screen->total = total_line(session);
	screen->panes[PANE_TABLE] = table_pane_create(&screen->viewed);
	screen->panes[PANE_TREE] = tree_pane_create(&screen->viewed);
	screen->panes[PANE_BUTTERFLY] = butterfly_pane_create(&screen->viewed);
	screen->panes[PANE_ANNOTATE] = annotate_pane_create(&screen->viewed);
	screen->panes[PANE_CALLS] = calls_pane_create(&screen->viewed);
	screen->viewed.searched = "";
	screen->steps = &state->steps;
	repeat_steps(screen);
	screen->open = screen->before = state->pane;
	if (open_pane(screen))
		open_pane(screen)->is_opened = 1;
}

static void fini(struct view_screen *screen, struct view_screen_state *state)
{
	struct catalog *catalog = &screen->viewed.session->catalog;
	const char *name;

	free(state->function);
	state->function = NULL;
	if (screen->viewed.function != FUNCTION_NONE) {
		name = catalog_name(catalog, screen->viewed.function);
		state->function = memory_string(name, strlen(name));
	}
	state->pane = screen->open;
	for (size_t i = 0; i < PANES; i++) {
		if (screen->panes[i])
			screen->panes[i]->kind->fini(screen->panes[i]);
		free(screen->panes[i]);
	}
	screen_page_clear(&screen->page);
	screen_page_clear(&screen->facts);
	end_search(screen);
	viewed_say(&screen->viewed, NULL);
	if (screen->steps->count > 0)
		tree_fini(&screen->whole);
	free(screen->total);
}

static void loop(struct view_screen *screen, int signals)
{
	while (!screen->is_over) {
		int key;

		draw(screen);
		take_function(screen);
		key = screen_key(signals, -1);
		if (key == SCREEN_END)
			break;
		if (key != SCREEN_NO_KEY && key != SCREEN_RESIZE)
			obey(screen, key);
	}
}

int view_screen_run(struct session *session, const struct view_options *options,
		    struct source_files *sources,
		    struct view_screen_state *state, enum view_screen_end *end,
		    char **why)
{
	struct view_screen screen = {
		.viewed = { .session = session,
			    .options = options,
			    .sources = sources },
	};
	int signals, err;

	init(&screen, state);
	signals = ending_signals_watch();
	err = screen_open(session->has_color, why);
	if (!err) {
		loop(&screen, signals);
		screen_close();
	}
	ending_signals_unwatch(signals);
	*end = screen.end;
	fini(&screen, state);
	return err;
}
