/* SPDX-License-Identifier: MIT */
/*
 * The tree as text, in the order of a depth-first walk.
 *
 * The walk has its own stack, since a program that recurses 100,000 levels deep
 * has a tree of that depth. For the same reason a line does not draw the rails
 * of all its ancestors, which would make the output quadratic. Every RAILS_MAX
 * levels the drawing starts again at the left margin, after the number of
 * omitted levels.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "report/model/announced_lines.h"
#include "report/view/inlines.h"
#include "report/write/text_rows.h"
#include "report/write/text_writer.h"

#define GROUPED(number) (text_grouped(number).text)

enum {
	RAILS_MAX = 40,
	SCREEN_NAME_MIN = 12, /* a line of a screen has no continuation */
};

struct rails {
	const char *pass, *branch, *last, *blank, *more;
};

static const struct rails ascii = { "|  ", "|- ", "`- ", "   ", "..." };
static const struct rails utf8 = { "\u2502  ", "\u251c\u2500 ", "\u2514\u2500 ",
				   "   ", "\u2026" };

/* An ancestor of the present line, with its remaining children. */
struct level {
	uint32_t next, stop; /* range in order.children */
	uint32_t hidden;
	uint64_t hidden_below;
};

struct text_walk {
	FILE *out;
	struct session *session;
	const struct tree_view *view;
	struct tree_order order;
	/* rails of the tree; NULL for a single row of a screen */
	const struct rails *rails;
	struct level *levels;
	size_t depth, capacity;
	uint64_t least; /* nodes with a smaller sum are hidden */
};

static int has_more_lines(const struct level *level)
{
	return level->next < level->stop || level->hidden > 0;
}

static void write_rails(const struct text_walk *walk)
{
	/* The first level begins at the margin, without a rail. */
	size_t from = (walk->depth - 1) / RAILS_MAX * RAILS_MAX;

	if (from > 0)
		fprintf(walk->out, "[%zu] ", from);
	for (size_t i = from + 1; i < walk->depth; i++) {
		int more = has_more_lines(&walk->levels[i]);

		if (i + 1 < walk->depth)
			fputs(more ? walk->rails->pass : walk->rails->blank,
			      walk->out);
		else
			fputs(more ? walk->rails->branch : walk->rails->last,
			      walk->out);
	}
}

static int shows_time(const struct text_walk *walk)
{
	return walk->session->metric == METRIC_TIME;
}

static uint64_t below_of(const struct text_walk *walk, uint32_t node)
{
	return tree_below_of(walk->view->tree, node, walk->session->metric);
}

/*
 * Returns the number to which shares refer, as in clew report: that of the
 * whole recording, also if the tree is a part of it. Trees of callers refer to
 * their function.
 */
static uint64_t whole_of(const struct text_walk *walk)
{
	const struct summary *summary = &walk->session->summary;

	if (walk->view->shows_callers || walk->view->diff)
		return below_of(walk, TREE_ROOT);
	return shows_time(walk) ? summary->time_ns : summary->calls;
}

static int is_anything(const struct measure *measure)
{
	return measure->calls > 0 || measure->ns > 0;
}

/* Writes the change of the whole subtree. */
static void write_change(const struct text_walk *walk,
			 const struct measure *before,
			 const struct measure *after)
{
	enum metric metric = walk->session->metric;

	text_change(walk->out, walk->session, metric,
		    &(struct text_change){
			    .before = measure_of(before, metric),
			    .after = measure_of(after, metric),
			    .was_there = is_anything(before),
			    .is_there = is_anything(after),
			    .is_sure = diff_is_node_significant(
				    walk->view->diff, before, after, metric),
		    });
	fputc(' ', walk->out);
}

/* Writes the columns for a subtree: its sum and its share of `all`. */
static void write_below(const struct text_walk *walk, uint64_t below,
			uint64_t all)
{
	if (shows_time(walk))
		fprintf(walk->out, "%*s", text_amount_width(walk->session),
			text_amount(walk->session, below).text);
	else
		fprintf(walk->out, "%15s", GROUPED(below));
	fprintf(walk->out, " %6.2f%% ",
		all ? 100.0 * (double)below / (double)all : 0.0);
}

/* Returns the columns before the blank in front of the rails, unless narrow. */
static size_t full_width(const struct text_walk *walk)
{
	const size_t amount = shows_time(walk)
				      ? (size_t)text_amount_width(walk->session)
				      : 15;
	size_t used = amount + 9;

	if (walk->view->diff)
		return 3 * (amount + 1) + 11;
	if (shows_time(walk) && !walk->view->shows_callers)
		used += amount + 1;
	return shows_time(walk) || !walk->view->shows_callers ? used + 16
							      : used;
}

/* Returns whether only the columns of the subtree have room. */
static int is_narrow(const struct text_walk *walk)
{
	return !walk->view->diff &&
	       text_is_narrow(walk->session->columns,
			      (unsigned int)full_width(walk) + 1);
}

/* Returns the columns before the blank in front of the rails. */
static size_t numbers_width(const struct text_walk *walk)
{
	if (!is_narrow(walk))
		return full_width(walk);
	return 9 + (shows_time(walk) ? (size_t)text_amount_width(walk->session)
				     : 15);
}

/*
 * Writes the columns for the node itself. Trees of callers have none, since
 * only sums have a meaning there; `calls` is then a sum, which is written if
 * the subtree's column shows time. A narrow screen has none either.
 */
static void write_self(const struct text_walk *walk, const char *self,
		       const char *calls)
{
	if (is_narrow(walk))
		return;
	if (shows_time(walk) && !walk->view->shows_callers)
		fprintf(walk->out, "%*s ", text_amount_width(walk->session),
			self);
	if (shows_time(walk) || !walk->view->shows_callers)
		fprintf(walk->out, "%15s ", calls);
}

/*
 * Sets the location at which an inlined function, or the callee of a Java
 * method, is called. Returns 0 if it is unknown, or if the method's name
 * contains it.
 */
static int call_place(const struct text_walk *walk,
		      const struct tree_node *node, const char **file,
		      uint32_t *line)
{
	struct catalog *catalog = &walk->session->catalog;
	const uint32_t caller = walk->view->tree->nodes[node->parent].function;

	if (catalog->functions[node->function].kind == KIND_INLINED)
		return inlined_call_place(catalog, node, file, line);
	return !walk->view->shows_callers &&
	       !catalog->functions[caller].whole &&
	       announced_site_place(catalog, node->site, file, line);
}

/* Writes the location of a node's function and of its call. */
static void write_place(const struct text_walk *walk,
			const struct tree_node *node)
{
	struct session *session = walk->session;
	const char *file;
	uint32_t line;

	text_place(walk->out, session, node->function);
	if (session->shows_lines && call_place(walk, node, &file, &line))
		fprintf(walk->out, "  at %s:%" PRIu32, file, line);
}

/* Writes all columns except the last. */
static void write_numbers(const struct text_walk *walk, uint32_t index)
{
	const struct tree_node *node = &walk->view->tree->nodes[index];
	const struct diff *diff = walk->view->diff;
	uint64_t calls;

	if (diff) {
		const struct measure before = tree_below(&diff->before, index);
		const struct measure after = tree_below(&diff->after, index);

		write_change(walk, &before, &after);
		return;
	}
	write_below(walk, below_of(walk, index),
		    walk->view->is_share_of_caller
			    ? below_of(walk, node->parent)
			    : whole_of(walk));
	calls = walk->view->shows_callers ? walk->view->tree->below[index]
					  : node->calls;
	write_self(walk,
		   text_amount(walk->session,
			       tree_self(walk->view->tree, index).ns)
			   .text,
		   node->is_context || calls ? GROUPED(calls) : "-");
}

/* Returns the style for the node's own share. */
static enum text_style heat_of(const struct text_walk *walk, uint32_t index)
{
	uint64_t all = whole_of(walk);
	uint64_t self =
		tree_self_of(walk->view->tree, index, walk->session->metric);

	if (walk->view->diff || all == 0)
		return STYLE_PLAIN;
	return text_heat((double)self / (double)all);
}

/*
 * Writes how many of the calls were tail calls, if any; for a change only that
 * there were some.
 */
static void write_tails(const struct text_walk *walk, uint32_t index)
{
	const struct diff *diff = walk->view->diff;
	const struct measure self = tree_self(walk->view->tree, index);

	if (walk->view->shows_callers)
		return; /* these calls belong to the function at the top */
	if (diff ? tree_self(&diff->before, index).tails == 0 &&
			    tree_self(&diff->after, index).tails == 0
		 : self.tails == 0)
		return;
	if (diff || self.tails == self.calls)
		fputs(" (tail)", walk->out);
	else
		fprintf(walk->out, " (%s by tail calls)", GROUPED(self.tails));
}

/* Writes the name, cut to the columns that `lead` columns leave. */
static void write_name(const struct text_walk *walk, uint32_t function,
		       size_t lead)
{
	struct session *session = walk->session;
	const unsigned int least =
		walk->rails ? TEXT_NAME_MIN : SCREEN_NAME_MIN;
	const size_t used = numbers_width(walk) + 1 + lead;
	unsigned int room = 0;
	char *name;

	if (session->columns)
		room = session->columns > used + least
			       ? session->columns - (unsigned int)used
			       : least;
	name = shown_name_within(&session->names, &session->catalog, function,
				 room);
	fputs(name, walk->out);
	if (session->catalog.functions[function].kind == KIND_INLINED)
		fputs(SHOWN_INLINED, walk->out);
	free(name);
}

/*
 * Writes a node behind the lines that connect it with its parent, which take
 * `lead` columns.
 */
static void write_function(const struct text_walk *walk, uint32_t index,
			   size_t lead)
{
	const struct tree_node *node = &walk->view->tree->nodes[index];
	enum text_style heat = heat_of(walk, index);

	text_begin(walk->out, walk->session->has_color, heat);
	write_name(walk, node->function, lead);
	text_end(walk->out, walk->session->has_color, heat);
	write_tails(walk, index);
	write_place(walk, node);
}

static void write_node(const struct text_walk *walk, uint32_t index)
{
	write_numbers(walk, index);
	fputc(' ', walk->out);
	write_rails(walk);
	write_function(walk, index, 3 * ((walk->depth - 1) % RAILS_MAX));
	fputc('\n', walk->out);
}

static void write_hidden(const struct text_walk *walk, struct level *level)
{
	uint32_t hidden = level->hidden;

	/* so that write_rails() draws this line as the last one */
	level->hidden = 0;
	if (walk->view->diff) {
		const struct measure nothing = { 0 };

		write_change(walk, &nothing, &nothing);
	} else {
		write_below(walk, level->hidden_below, whole_of(walk));
		write_self(walk, "", "");
	}
	fputc(' ', walk->out);
	write_rails(walk);
	fprintf(walk->out, "%s %s more\n", walk->rails->more, GROUPED(hidden));
}

/* Descends to the children of a node. */
static void enter(struct text_walk *walk, uint32_t node)
{
	uint32_t depth_limit = walk->view->limits.depth;
	uint32_t end = walk->order.first[node + 1];
	struct level level = {
		.next = walk->order.first[node],
		.stop = walk->order.first[node],
	};

	/* Children are sorted descending, so the hidden ones are last. */
	while ((depth_limit == 0 || walk->depth < depth_limit) &&
	       level.stop < end &&
	       below_of(walk, walk->order.children[level.stop]) >= walk->least)
		level.stop++;
	level.hidden = end - level.stop;
	for (uint32_t i = level.stop; i < end; i++)
		level.hidden_below += below_of(walk, walk->order.children[i]);
	if (level.hidden_below == 0)
		/* hidden nodes without a measure are not mentioned */
		level.hidden = 0;
	walk->levels = memory_grow(walk->levels, walk->depth, &walk->capacity,
				   sizeof(*walk->levels));
	walk->levels[walk->depth++] = level;
}

static void write_nodes(struct text_walk *walk)
{
	enter(walk, TREE_ROOT);
	while (walk->depth > 0) {
		struct level *level = &walk->levels[walk->depth - 1];
		uint32_t child;

		if (level->next < level->stop) {
			child = walk->order.children[level->next++];
			write_node(walk, child);
			enter(walk, child);
			continue;
		}
		if (level->hidden > 0)
			write_hidden(walk, level);
		walk->depth--;
	}
}

/*
 * Names the function if the rows have a shorter name that other functions also
 * have.
 */
static void write_callers_heading(const struct text_walk *walk)
{
	struct session *session = walk->session;
	const struct tree *tree = walk->view->tree;
	uint32_t function = FUNCTION_NONE;
	char *name;

	for (size_t i = TREE_ROOT + 1; i < tree->count; i++) {
		if (tree->nodes[i].parent != TREE_ROOT)
			continue;
		if (function != FUNCTION_NONE) {
			function = FUNCTION_NONE;
			break;
		}
		function = tree->nodes[i].function;
	}
	name = function != FUNCTION_NONE ? text_subject(session, function)
					 : NULL;
	if (name && strcmp(name, shown_name(&session->names, &session->catalog,
					    function)) != 0)
		fprintf(walk->out, " %s and its callers", name);
	else
		fputs(" function and its callers", walk->out);
	free(name);
}

static void write_heading(const struct text_walk *walk)
{
	const int by_time = shows_time(walk);

	if (walk->view->diff) {
		text_change_heading(walk->out, walk->session,
				    walk->session->metric);
		fputs("  context", walk->out);
		return;
	}
	fprintf(walk->out, "%*s %7s ",
		by_time ? text_amount_width(walk->session) : 15,
		walk->view->shows_callers ? by_time ? "self" : "calls"
		: by_time                 ? "total"
					  : "with below",
		walk->view->is_share_of_caller ? "of call" : "share");
	write_self(walk, "self", "calls");
	if (walk->view->shows_callers)
		write_callers_heading(walk);
	else
		fputs(" context", walk->out);
}

/*
 * Chooses the names of all functions that may be written. Names have no limit
 * of width, because each level has less room.
 */
static void add_names(struct text_walk *walk)
{
	struct session *session = walk->session;
	const struct tree *tree = walk->view->tree;
	uint32_t *functions = memory_zeroed(tree->count, sizeof(*functions));
	size_t count = 0;

	for (uint32_t i = TREE_ROOT + 1; i < tree->count; i++)
		if (below_of(walk, i) >= walk->least)
			functions[count++] = tree->nodes[i].function;
	text_begin_names(session, 0);
	shown_names_add(&session->names, &session->catalog, functions, count);
	free(functions);
}

void text_tree_heading(FILE *out, struct session *session,
		       const struct tree_view *view)
{
	write_heading(&(struct text_walk){
		.out = out, .session = session, .view = view });
}

void text_tree_row(FILE *out, struct session *session,
		   const struct tree_view *view, uint32_t node,
		   const char *lead, size_t columns)
{
	const struct text_walk walk = { .out = out,
					.session = session,
					.view = view };

	write_numbers(&walk, node);
	fprintf(out, " %s", lead);
	write_function(&walk, node, columns);
}

void text_tree(FILE *out, struct session *session, const struct tree_view *view)
{
	uint64_t all = tree_below_of(view->tree, TREE_ROOT, session->metric);
	struct text_walk walk = {
		.out = out,
		.session = session,
		.view = view,
		.rails = *text_glyph("u", "") ? &utf8 : &ascii,
		.least = (uint64_t)ceil(view->limits.threshold_percent / 100 *
					(double)all),
	};

	add_names(&walk);
	text_begin(out, session->has_color, STYLE_HEADING);
	write_heading(&walk);
	fputc('\n', out);
	text_end(out, session->has_color, STYLE_HEADING);
	tree_order(view->tree, session->metric, &walk.order);
	write_nodes(&walk);
	tree_order_fini(&walk.order);
	free(walk.levels);
	if (!view->diff)
		text_summary(out, session);
}
