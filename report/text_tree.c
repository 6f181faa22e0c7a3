/* SPDX-License-Identifier: MIT */
/*
 * The tree as text, in the order of a depth-first walk.
 *
 * The walk keeps its own stack, since a program that recurses 100,000 levels
 * deep gives a tree of that depth. For the same reason a line never draws the
 * rails of all its ancestors, which would make the output quadratic: every
 * RAILS_MAX levels the drawing starts again at the left margin, behind the
 * number of levels that are left out.
 */
#include <langinfo.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "report/text.h"

#define GROUPED(number) (text_grouped(number).text)

enum { RAILS_MAX = 40 };

struct rails {
	const char *pass, *branch, *last, *blank, *more;
};

static const struct rails ascii = { "|  ", "|- ", "`- ", "   ", "..." };
static const struct rails utf8 = { "\u2502  ", "\u251c\u2500 ", "\u2514\u2500 ",
				   "   ", "\u2026" };

/* An ancestor of the line being written, and the children it has yet. */
struct level {
	uint32_t next, stop; /* in order.children */
	uint32_t hidden;
	uint64_t hidden_calls;
};

struct walk {
	FILE *out;
	struct session *session;
	const struct tree_view *view;
	struct tree_order order;
	const struct rails *rails;
	struct level *levels;
	size_t depth, capacity;
	uint64_t least; /* hide what has less below */
};

static int has_more_lines(const struct level *level)
{
	return level->next < level->stop || level->hidden > 0;
}

static void write_rails(const struct walk *walk)
{
	/* Lines of the first level stand at the margin, without a rail. */
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

static double share_of(const struct walk *walk, uint64_t calls)
{
	uint64_t all = walk->view->tree->nodes[TREE_ROOT].below.calls;

	return all ? 100.0 * (double)calls / (double)all : 0.0;
}

static void write_node(const struct walk *walk, const struct tree_node *node)
{
	fprintf(walk->out, "%15s %6.2f%% ", GROUPED(node->below.calls),
		share_of(walk, node->below.calls));
	if (!walk->view->shows_callers)
		fprintf(walk->out, "%15s ", GROUPED(node->self.calls));
	fputc(' ', walk->out);
	write_rails(walk);
	fprintf(walk->out, "%s%s",
		catalog_name(&walk->session->catalog, node->function),
		node->is_tail ? " (tail)" : "");
	text_place(walk->out, walk->session, node->function);
	fputc('\n', walk->out);
}

static void write_hidden(const struct walk *walk, struct level *level)
{
	uint32_t hidden = level->hidden;

	level->hidden = 0; /* so that this line is drawn as the last one */
	fprintf(walk->out, "%15s %6.2f%% ", GROUPED(level->hidden_calls),
		share_of(walk, level->hidden_calls));
	if (!walk->view->shows_callers)
		fprintf(walk->out, "%15s ", "");
	fputc(' ', walk->out);
	write_rails(walk);
	fprintf(walk->out, "%s %s more\n", walk->rails->more, GROUPED(hidden));
}

/* Goes down to the children of a node. */
static void enter(struct walk *walk, uint32_t node)
{
	const struct tree_node *nodes = walk->view->tree->nodes;
	uint32_t depth_limit = walk->view->limits.depth;
	uint32_t end = walk->order.first[node + 1];
	struct level level = {
		.next = walk->order.first[node],
		.stop = walk->order.first[node],
	};

	/* The order is by calls, so what is hidden comes last. */
	while ((depth_limit == 0 || walk->depth < depth_limit) &&
	       level.stop < end &&
	       nodes[walk->order.children[level.stop]].below.calls >=
		       walk->least)
		level.stop++;
	level.hidden = end - level.stop;
	for (uint32_t i = level.stop; i < end; i++)
		level.hidden_calls +=
			nodes[walk->order.children[i]].below.calls;
	walk->levels = memory_grow(walk->levels, walk->depth, &walk->capacity,
				   sizeof(*walk->levels));
	walk->levels[walk->depth++] = level;
}

static void write_nodes(struct walk *walk)
{
	enter(walk, TREE_ROOT);
	while (walk->depth > 0) {
		struct level *level = &walk->levels[walk->depth - 1];
		uint32_t child;

		if (level->next < level->stop) {
			child = walk->order.children[level->next++];
			write_node(walk, &walk->view->tree->nodes[child]);
			enter(walk, child);
			continue;
		}
		if (level->hidden > 0)
			write_hidden(walk, level);
		walk->depth--;
	}
}

void text_tree(FILE *out, struct session *session, const struct tree_view *view)
{
	uint64_t all = view->tree->nodes[TREE_ROOT].below.calls;
	int is_utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
	struct walk walk = {
		.out = out,
		.session = session,
		.view = view,
		.rails = is_utf8 ? &utf8 : &ascii,
		.least = (uint64_t)ceil(view->limits.threshold_percent / 100 *
					(double)all),
	};

	if (view->shows_callers)
		fprintf(out, "%15s %7s  %s\n", "calls", "share",
			"function and its callers");
	else
		fprintf(out, "%15s %7s %15s  %s\n", "with below", "share",
			"calls", "context");
	tree_order(view->tree, METRIC_CALLS, &walk.order);
	write_nodes(&walk);
	tree_order_fini(&walk.order);
	free(walk.levels);
	text_summary(out, session);
}
