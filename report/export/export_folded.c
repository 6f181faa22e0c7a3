/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, "a;b;c 42", as flamegraph.pl, inferno and speedscope read
 * them. The line is extended when the walk descends and shortened when it
 * ascends, so each node's name is looked up once.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "report/export/export.h"
#include "report/model/tree_walk.h"

struct folded_line {
	char *text; /* "a;b;c;" */
	size_t length, capacity;
	size_t *starts; /* starts[d] is the offset of the frame of depth d */
	size_t start_capacity;
};

static void append(struct folded_line *line, char byte)
{
	line->text = memory_grow(line->text, line->length, &line->capacity, 1);
	line->text[line->length++] = byte;
}

/*
 * Appends a name. A semicolon in the name is replaced, because it separates
 * frames.
 */
static void append_text(struct folded_line *line, const char *text)
{
	for (; *text; text++)
		append(line, (char)(*text == ';' ? ':' : *text));
}

/* Returns the suffixes that async-profiler and stackcollapse-perf use. */
static const char *mark_of(enum function_kind kind)
{
	switch (kind) {
	case KIND_KERNEL:
		return "_[k]";
	case KIND_JAVA:
	case KIND_GENERATED:
		return "_[j]";
	case KIND_INLINED:
		return "_[i]";
	default:
		return "";
	}
}

static void push(struct folded_line *line, struct export *export,
		 const struct tree_node *node)
{
	struct catalog *catalog = &export->session->catalog;

	line->starts =
		memory_grow(line->starts, node->depth, &line->start_capacity,
			    sizeof(*line->starts));
	line->starts[node->depth] = line->length;
	append_text(line, catalog_marked_name(catalog, node->function));
	if (export->annotates)
		append_text(line,
			    mark_of(catalog_kind(catalog, node->function)));
	append(line, ';');
}

static void write_line(FILE *out, const struct folded_line *line,
		       struct export *export, uint32_t depth, uint64_t number)
{
	size_t from = 0;

	if (depth > EXPORT_STACK_MAX) {
		fwrite(line->text, 1, line->starts[EXPORT_STACK_OUTER + 1],
		       out);
		fputs(EXPORT_CUT_NAME ";", out);
		from = line->starts[depth - EXPORT_STACK_INNER + 1];
		export->cut_stacks++;
	}
	/* The last semicolon is omitted. */
	fwrite(line->text + from, 1, line->length - from - 1, out);
	fprintf(out, " %" PRIu64 "\n", number);
}

int export_folded(struct export *export, FILE *out, char **why)
{
	struct folded_line line = { 0 };
	struct tree_walk walk;
	enum tree_step step;

	line.starts = memory_grow(NULL, 0, &line.start_capacity,
				  sizeof(*line.starts));
	tree_walk_init(&walk, export->tree, export->metric);
	while ((step = tree_walk_next(&walk)) != TREE_END) {
		const struct tree_node *node = &export->tree->nodes[walk.node];
		uint64_t number =
			tree_self_of(export->tree, walk.node, export->metric);

		export_tell(export, walk.entered);
		if (step == TREE_LEAVE) {
			line.length = line.starts[node->depth];
			continue;
		}
		push(&line, export, node);
		if (number > 0)
			write_line(out, &line, export, node->depth, number);
	}
	tree_walk_fini(&walk);
	free(line.text);
	free(line.starts);
	return 0;
}
