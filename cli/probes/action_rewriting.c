/* SPDX-License-Identifier: MIT */
/* See action_rewriting.h. */
#include "cli/probes/action_rewriting.h"

#include <string.h>

#include "base/memory.h"
#include "cli/probes/action_expressions.h"
#include "expression/expression_scan.h"

#define NAMES_MAX 64

/* ---- Rewriting lines ---- */

/*
 * Rewrites one field of a list, with its original text as name. Returns NULL
 * and *why on failure.
 */
static char *rewrite_field(struct action_parser *r)
{
	struct rewritten part;
	size_t start, end, format;
	char *text;

	action_next(r);
	start = r->at;
	if (action_parse_value(r, &part))
		return NULL;
	action_next(r);
	for (end = r->at; end > start && r->line[end - 1] == ' ';)
		end--;
	format = action_format_at(r);
	text = arena_printf(r->arena, "`%.*s`%s%.*s", (int)(end - start),
			    r->line + start, part.text, (int)format,
			    r->line + r->at);
	r->at += format;
	return text;
}

static char *rewrite_fields(struct action_parser *r)
{
	char *all = arena_printf(r->arena, "record ");
	const char *comma = "";

	for (;;) {
		char *one = rewrite_field(r);

		if (!one)
			return NULL;
		all = arena_printf(r->arena, "%s%s%s", all, comma, one);
		comma = ", ";
		if (!action_next(r))
			return all;
		if (!action_take(r, ",")) {
			action_wrong(r, "an operator is missing");
			return NULL;
		}
	}
}

/*
 * Rewrites the expression from r->at to the end of the line, and puts `before`
 * in front of it. Returns NULL and *why on failure.
 */
static char *rewrite_rest(struct action_parser *r, const char *before)
{
	struct rewritten part;

	if (action_parse_value(r, &part))
		return NULL;
	if (action_next(r)) {
		action_wrong(r, "an operator is missing");
		return NULL;
	}
	return arena_printf(r->arena, "%s %s", before, part.text);
}

static int take_keyword(struct action_parser *r, const char *word)
{
	const size_t bytes = scan_name(r->line, r->bytes, r->at);

	if (!scan_is(r->line + r->at, bytes, word))
		return 0;
	r->at += bytes;
	action_next(r);
	return 1;
}

char *action_rewrite(const char *line, const struct variable_site *site,
		     int is_return, struct arena *arena, char **why)
{
	struct action_parser r = {
		.line = line,
		.bytes = strlen(line),
		.site = site,
		.is_return = is_return,
		.arena = arena,
		.why = why,
	};

	action_next(&r);
	if (take_keyword(&r, "if"))
		return rewrite_rest(&r, "if");
	if (take_keyword(&r, "record"))
		return rewrite_fields(&r);
	if (take_keyword(&r, "begin") || take_keyword(&r, "end")) {
		for (; r.line[r.at] && r.line[r.at] != ' ';)
			r.at++;
		return rewrite_rest(&r, action_copy(&r, 0));
	}
	action_wrong(&r, "this is not one of if, limit, record, begin, end");
	return NULL;
}

/* ---- Collecting names ---- */

struct name_list {
	const char **names;
	size_t count;
	struct arena *arena;
};

static void add_name(struct name_list *list, const char *name, size_t bytes)
{
	for (size_t i = 0; i < list->count; i++)
		if (scan_is(name, bytes, list->names[i]))
			return;
	if (list->count < NAMES_MAX)
		list->names[list->count++] =
			arena_printf(list->arena, "%.*s", (int)bytes, name);
}

static void add_names(struct name_list *list, const char *line)
{
	struct action_parser r = { .line = line,
				   .bytes = strlen(line),
				   .arena = list->arena };

	while (r.at < r.bytes) {
		const size_t bytes = scan_name(line, r.bytes, r.at);
		const char c = line[r.at];

		if (bytes) {
			add_name(list, line + r.at, bytes);
			r.at += bytes;
		} else if (c == '$' || scan_is_digit(c)) {
			r.at += 1 + scan_name(line, r.bytes, r.at + 1);
		} else if (c == '"' || c == '\'') {
			for (r.at++; line[r.at] && line[r.at] != c; r.at++)
				r.at += line[r.at] == '\\' && line[r.at + 1];
			r.at += line[r.at] != '\0';
		} else {
			r.at++;
		}
	}
}

const char *const *action_names(const char *const *lines, size_t line_count,
				struct arena *arena, size_t *count)
{
	struct name_list list = { .arena = arena };

	list.names = arena_alloc(arena, NAMES_MAX * sizeof(*list.names));
	if (!list.names)
		memory_exhausted();
	add_name(&list, "this", 4);
	for (size_t i = 0; i < line_count; i++)
		add_names(&list, lines[i]);
	*count = list.count;
	return list.names;
}
