/* SPDX-License-Identifier: MIT */
/*
 * The pane with the tree of `clew tree`, of which the user opens nodes.
 *
 * Only visible nodes are rows, so that a tree of a million contexts costs no
 * more than the order of its children, and only names of drawn rows are looked
 * up.
 */
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "cli/show/pane.h"
#include "report/view/selection.h"
#include "report/view/views.h"
#include "report/write/text_rows.h"
#include "report/write/text_writer.h"

enum {
	/*
	 * Maximum number of columns of indentation. Deeper levels start again
	 * at the margin, as in `clew tree`.
	 */
	INDENT_MAX = 12,
	/*
	 * Maximum number of levels of callers, as in `clew tree --callers-of`.
	 */
	CALLERS_DEPTH = 32,
};

/*
 * A callee in a hot path has at least this share of its caller's total, as in
 * the page of `clew html`.
 */
#define HOT_PART (1.0 / 3)
/*
 * If a callee has at least this share of its caller's total, it counts as the
 * only important one.
 */
#define SINGLE_PART 0.9

/* A visible node. */
struct visible_node {
	uint32_t node, depth;
	int is_open;
};

struct tree_pane {
	struct pane pane;
	/* the tree without hidden functions, if the user hides some */
	struct tree kept;
	int has_kept;
	/* the callers of one function, while callers are shown */
	struct tree callers;
	/* that function; FUNCTION_NONE while contexts are shown */
	uint32_t callee;
	int has_callers;
	struct tree_view view;
	struct tree_order order;  /* order of the children in view.tree */
	enum metric metric;       /* metric by which the tree is sorted */
	unsigned int tree_number; /* the session's tree that was read */
	int has_order;
	/* for each node, its index in order.children; or NULL */
	uint32_t *position;
	struct visible_node *rows;
	size_t capacity;
};

/* ---- The tree that is shown, and its order ---- */

static void forget_order(struct tree_pane *tree)
{
	if (tree->has_order)
		tree_order_fini(&tree->order);
	free(tree->position);
	tree->position = NULL;
	tree->has_order = 0;
}

static void forget_callers(struct tree_pane *tree)
{
	if (tree->has_callers)
		tree_fini(&tree->callers);
	tree->has_callers = 0;
}

static void forget_kept(struct tree_pane *tree)
{
	if (tree->has_kept)
		tree_fini(&tree->kept);
	tree->has_kept = 0;
}

/* Returns the tree of contexts, without functions that the user hides. */
static const struct tree *contexts_of(struct tree_pane *tree)
{
	struct session *session = tree->pane.viewed->session;
	const struct selection *selection =
		&tree->pane.viewed->options->selection;
	uint8_t *mask;

	if (!selection_is_asked(selection))
		return &session->tree;
	if (!tree->has_kept) {
		mask = selection_mask(selection, &session->catalog);
		tree_keep(&session->tree, mask, &tree->kept);
		free(mask);
		tree->has_kept = 1;
	}
	return &tree->kept;
}

/* Returns the tree of the chosen function's callers. */
static const struct tree *callers_of(struct tree_pane *tree)
{
	const struct catalog *catalog = &tree->pane.viewed->session->catalog;
	uint8_t *chosen = memory_zeroed(catalog->function_count, 1);

	forget_callers(tree);
	chosen[tree->callee] = 1;
	tree_callers(contexts_of(tree), chosen, CALLERS_DEPTH, &tree->callers);
	free(chosen);
	tree->has_callers = 1;
	return &tree->callers;
}

static void order_children(struct tree_pane *tree)
{
	forget_order(tree);
	tree->metric = tree->pane.viewed->session->metric;
	tree_order(tree->view.tree, tree->metric, &tree->order);
	tree->has_order = 1;
}

static size_t child_count(const struct tree_pane *tree, uint32_t node)
{
	return tree->order.first[node + 1] - tree->order.first[node];
}

static uint32_t first_child(const struct tree_pane *tree, uint32_t node)
{
	return tree->order.children[tree->order.first[node]];
}

/* ---- Rows ---- */

/* Inserts the children of a node after a row. */
static void insert_children(struct tree_pane *tree, uint32_t node, size_t at,
			    uint32_t depth)
{
	const size_t count = child_count(tree, node);
	const uint32_t *children =
		&tree->order.children[tree->order.first[node]];
	struct visible_node *rows;

	if (count == 0)
		return;
	while (tree->pane.list.count + count > tree->capacity)
		tree->rows = memory_grow(tree->rows, tree->capacity,
					 &tree->capacity, sizeof(*tree->rows));
	rows = tree->rows + at;
	memmove(rows + count, rows,
		(tree->pane.list.count - at) * sizeof(*rows));
	for (size_t i = 0; i < count; i++)
		rows[i] = (struct visible_node){ .node = children[i],
						 .depth = depth };
	tree->pane.list.count += count;
}

static void open_row(struct tree_pane *tree, size_t row)
{
	const struct visible_node at = tree->rows[row];

	if (at.is_open || child_count(tree, at.node) == 0)
		return;
	tree->rows[row].is_open = 1;
	insert_children(tree, at.node, row + 1, at.depth + 1);
}

static void close_row(struct tree_pane *tree, size_t row)
{
	struct visible_node *rows = tree->rows;
	size_t end = row + 1;

	while (end < tree->pane.list.count && rows[end].depth > rows[row].depth)
		end++;
	memmove(rows + row + 1, rows + end,
		(tree->pane.list.count - end) * sizeof(*rows));
	tree->pane.list.count -= end - row - 1;
	rows[row].is_open = 0;
}

/*
 * Opens the row, then its largest child and so on, while the child has at least
 * the share `part` of its caller's total. Selects the row of the last such
 * child.
 */
static void open_hottest(struct tree_pane *tree, size_t row, double part)
{
	const struct tree *shown = tree->view.tree;

	while (row < tree->pane.list.count) {
		const uint32_t node = tree->rows[row].node;
		uint64_t below, most;

		if (child_count(tree, node) == 0)
			break;
		below = tree_below_of(shown, node, tree->metric);
		most = tree_below_of(shown, first_child(tree, node),
				     tree->metric);
		if (below == 0 || (double)most < part * (double)below)
			break;
		open_row(tree, row++);
	}
	screen_list_select(&tree->pane.list, row);
}

/*
 * Shows the roots, and opens the largest one, down to the first function with
 * several important callees. In a tree of callers, opens only the largest root.
 */
static void show_roots(struct tree_pane *tree)
{
	tree->pane.list = (struct screen_list){ 0 };
	insert_children(tree, TREE_ROOT, 0, 1);
	if (tree->callee == FUNCTION_NONE)
		open_hottest(tree, 0, SINGLE_PART);
	if (tree->pane.list.count > 0)
		open_row(tree, tree->pane.list.selected);
	screen_list_select(&tree->pane.list, 0);
}

static void update(struct pane *pane)
{
	struct tree_pane *tree = (struct tree_pane *)pane;

	if (tree->tree_number != pane->viewed->tree_number)
		forget_kept(tree);
	else if (tree->has_order &&
		 tree->metric == pane->viewed->session->metric &&
		 (tree->callee != FUNCTION_NONE) == tree->view.shows_callers)
		return;
	tree->tree_number = pane->viewed->tree_number;
	tree->view.shows_callers = tree->callee != FUNCTION_NONE;
	tree->view.tree =
		tree->view.shows_callers ? callers_of(tree) : contexts_of(tree);
	order_children(tree);
	show_roots(tree);
}

static void layout(struct pane *pane)
{
	text_begin_names(pane->viewed->session, 0);
}

static char *state(struct pane *pane)
{
	const struct tree_pane *tree = (const struct tree_pane *)pane;

	if (tree->view.shows_callers)
		return memory_printf("callers of the function at the top; i: "
				     "back to the contexts");
	return memory_printf("%s context%s, share of %s",
			     text_grouped(tree->view.tree->count - 1).text,
			     text_plural(tree->view.tree->count - 1),
			     pane->viewed->is_share_of_caller ? "the caller"
							      : "the total");
}

static void heading(FILE *out, struct pane *pane)
{
	struct tree_pane *tree = (struct tree_pane *)pane;

	text_tree_heading(out, pane->viewed->session, &tree->view);
}

/* Writes the indentation, and whether the node is open. */
static void write_lead(FILE *out, const struct tree_pane *tree, size_t row,
		       size_t *columns)
{
	const struct visible_node *at = &tree->rows[row];
	const uint32_t omitted = (at->depth - 1) / INDENT_MAX * INDENT_MAX;

	*columns = at->depth - 1 - omitted + 2;
	if (omitted)
		*columns += (size_t)fprintf(out, "[%u] ", omitted);
	fprintf(out, "%*s%s ", (int)(at->depth - 1 - omitted), "",
		child_count(tree, at->node) == 0 ? " "
		: at->is_open                    ? text_glyph("\u25be", "-")
						 : text_glyph("\u25b8", "+"));
}

static void write_row(FILE *out, void *context, size_t row)
{
	struct tree_pane *tree = context;
	size_t columns, bytes;
	char *lead = NULL;
	FILE *text = memory_stream(&lead, &bytes);

	write_lead(text, tree, row, &columns);
	fclose(text);
	tree->view.is_share_of_caller = tree->pane.viewed->is_share_of_caller;
	text_tree_row(out, tree->pane.viewed->session, &tree->view,
		      tree->rows[row].node, lead, columns);
	free(lead);
}

static uint32_t function_of(struct pane *pane, size_t row)
{
	const struct tree_pane *tree = (const struct tree_pane *)pane;

	return tree->view.tree->nodes[tree->rows[row].node].function;
}

/* ---- Searching ---- */

static void find_positions(struct tree_pane *tree)
{
	const size_t count = tree->view.tree->count;

	if (tree->position)
		return;
	tree->position = memory_zeroed(count, sizeof(*tree->position));
	for (uint32_t i = 0; i + 1 < count; i++)
		tree->position[tree->order.children[i]] = i;
}

/* Returns the next node in the order of rows; TREE_ROOT after the last one. */
static uint32_t node_after(const struct tree_pane *tree, uint32_t node)
{
	if (child_count(tree, node) > 0)
		return first_child(tree, node);
	while (node != TREE_ROOT) {
		const uint32_t parent = tree->view.tree->nodes[node].parent;
		const uint32_t next = tree->position[node] + 1;

		if (next < tree->order.first[parent + 1])
			return tree->order.children[next];
		node = parent;
	}
	return TREE_ROOT;
}

static uint32_t last_below(const struct tree_pane *tree, uint32_t node)
{
	while (child_count(tree, node) > 0)
		node = tree->order.children[tree->order.first[node + 1] - 1];
	return node;
}

/* Returns the node before; TREE_ROOT before the first one. */
static uint32_t node_before(const struct tree_pane *tree, uint32_t node)
{
	const uint32_t parent = tree->view.tree->nodes[node].parent;

	if (node == TREE_ROOT)
		return last_below(tree, TREE_ROOT);
	if (tree->position[node] > tree->order.first[parent])
		return last_below(
			tree, tree->order.children[tree->position[node] - 1]);
	return parent;
}

/* Opens all callers of a node, and selects its row. */
static void reveal(struct tree_pane *tree, uint32_t node)
{
	const struct tree_node *nodes = tree->view.tree->nodes;
	const uint32_t levels = nodes[node].depth;
	uint32_t *path = memory_zeroed(levels + 1, sizeof(*path));
	size_t row = 0;

	for (uint32_t at = node, i = levels; i-- > 0; at = nodes[at].parent)
		path[i] = at;
	for (uint32_t i = 0; i < levels; i++) {
		while (tree->rows[row].node != path[i])
			row++;
		if (i + 1 < levels)
			open_row(tree, row);
	}
	free(path);
	screen_list_select(&tree->pane.list, row);
}

static int find(struct pane *pane, int is_backward)
{
	struct tree_pane *tree = (struct tree_pane *)pane;
	const struct tree *shown = tree->view.tree;
	uint32_t node;

	if (pane->list.count == 0)
		return 0;
	find_positions(tree);
	node = tree->rows[pane->list.selected].node;
	/* The search continues at the other end, and ends where it began. */
	for (size_t i = 0; i < shown->count; i++) {
		node = is_backward ? node_before(tree, node)
				   : node_after(tree, node);
		if (node != TREE_ROOT &&
		    viewed_matches(pane->viewed, shown->nodes[node].function)) {
			reveal(tree, node);
			return 1;
		}
	}
	return 0;
}

/* ---- Keys ---- */

/* Closes the row, or selects its caller. */
static void go_left(struct tree_pane *tree)
{
	size_t row = tree->pane.list.selected;
	const uint32_t depth = tree->rows[row].depth;

	if (tree->rows[row].is_open) {
		close_row(tree, row);
		return;
	}
	while (row > 0 && tree->rows[row].depth >= depth)
		row--;
	if (tree->rows[row].depth < depth)
		screen_list_select(&tree->pane.list, row);
}

/* Opens the row, or selects its first callee. */
static void go_right(struct tree_pane *tree)
{
	const size_t row = tree->pane.list.selected;

	if (tree->rows[row].is_open)
		screen_list_select(&tree->pane.list, row + 1);
	else
		open_row(tree, row);
}

/* Shows the callers of the selected function, or the contexts again. */
static void invert(struct tree_pane *tree)
{
	if (tree->callee != FUNCTION_NONE)
		tree->callee = FUNCTION_NONE;
	else
		tree->callee = tree->pane.viewed->function;
	tree->pane.is_stale = 1;
}

static int obey(struct pane *pane, int key)
{
	struct tree_pane *tree = (struct tree_pane *)pane;
	const size_t row = pane->list.selected;

	if (key == 'i') {
		invert(tree);
		return 1;
	}
	if (pane->list.count == 0)
		return 0;
	switch (key) {
	case SCREEN_LEFT:
		go_left(tree);
		return 1;
	case SCREEN_RIGHT:
		go_right(tree);
		return 1;
	case SCREEN_ENTER:
	case ' ':
		if (tree->rows[row].is_open)
			close_row(tree, row);
		else
			open_row(tree, row);
		return 1;
	case 'e':
		open_hottest(tree, row, HOT_PART);
		return 1;
	case '%':
		pane->viewed->is_share_of_caller ^= 1;
		return 1;
	default:
		return 0;
	}
}

static void fini(struct pane *pane)
{
	struct tree_pane *tree = (struct tree_pane *)pane;

	forget_order(tree);
	forget_callers(tree);
	forget_kept(tree);
	free(tree->rows);
}

static const struct pane_kind tree_kind = {
	.name = "tree",
	.keys = "arrows open, close  e hottest  i callers  b butterfly",
	.update = update,
	.layout = layout,
	.state = state,
	.heading = heading,
	.row = write_row,
	.function = function_of,
	.key = obey,
	.find = find,
	.fini = fini,
};

struct pane *tree_pane_create(struct viewed *viewed)
{
	struct tree_pane *tree = memory_zeroed(1, sizeof(*tree));

	tree->pane = (struct pane){ .kind = &tree_kind,
				    .viewed = viewed,
				    .is_stale = 1 };
	tree->callee = FUNCTION_NONE;
	return &tree->pane;
}
