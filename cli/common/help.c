/* SPDX-License-Identifier: MIT */
/* See help.h. */
#include "cli/common/help.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum {
	COLUMNS = 80,
	TEXT_COLUMN = 29, /* Column of descriptions. */
	NAME_COLUMN = 16, /* Column of options in short lists. */
	/* Commands with more options than this mark some as first. */
	FIRST_MAX = 10,
};

static const char *const headings[] = {
	[HELP_PROCESSES] = "Processes",
	[HELP_OUTPUT] = "Output",
	[HELP_SELECTION] = "What to count",
	[HELP_TIME] = "Time",
	[HELP_TRACES] = "Traces",
	[HELP_SNAPSHOTS] = "Snapshots",
	[HELP_PROBES] = "Probes",
	[HELP_JAVA] = "Java",
	[HELP_LIMITS] = "Limits",
	[HELP_PUSH] = "Push",
	[HELP_VIEWS] = "What to show",
	[HELP_SOURCES] = "Where to search",
	[HELP_FILTERS] = "Filters",
	[HELP_WINDOW] = "Time window",
	[HELP_CONTENTS] = "Contents",
	[HELP_TERMINAL] = "Terminal",
	[HELP_HELP] = "Help",
};

enum { GROUPS = sizeof(headings) / sizeof(*headings) };

/* All options of a command, in the order of its tables. */
struct option_list {
	const struct argp_option **items;
	size_t count, capacity;
	size_t own; /* Number without those of HELP_HELP. */
};

static void list_options(struct option_list *list, const struct argp *argp)
{
	const struct argp_option *option = argp->options;
	const struct argp_child *child = argp->children;

	for (; option && option->name; option++) {
		if (option->flags & (OPTION_ALIAS | OPTION_HIDDEN))
			continue;
		list->items =
			memory_grow(list->items, list->count, &list->capacity,
				    sizeof(const struct argp_option *));
		list->items[list->count++] = option;
		list->own += option->group != HELP_HELP;
	}
	for (; child && child->argp; child++)
		list_options(list, child->argp);
}

static int has_first(const struct option_list *list)
{
	return list->own > FIRST_MAX;
}

static int is_first(const struct option_list *list,
		    const struct argp_option *option)
{
	return has_first(list) && (option->flags & HELP_FIRST);
}

/* ---- Text of a limited width ---- */

/*
 * Prints a word at *column, or on a new line with `indent` blanks if it is too
 * long.
 */
static void put_word(FILE *out, const char *word, size_t length, int *column,
		     int indent)
{
	if (*column > indent && *column + 1 + (int)length > COLUMNS) {
		fprintf(out, "\n%*s", indent, "");
		*column = indent;
	} else if (*column > indent) {
		fputc(' ', out);
		++*column;
	}
	fprintf(out, "%.*s", (int)length, word);
	*column += (int)length;
}

static void put_text(FILE *out, const char *text, int column, int indent)
{
	while (*text) {
		const size_t length = strcspn(text, " ");

		put_word(out, text, length, &column, indent);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', out);
}

/* ---- Options ---- */

static int has_short(const struct argp_option *option)
{
	return option->key > 0 && option->key < 0x80 && isprint(option->key);
}

static void put_name(FILE *out, const char *name,
		     const struct argp_option *option)
{
	const int is_optional = option->flags & OPTION_ARG_OPTIONAL;

	fprintf(out, "--%s", name);
	if (option->arg)
		fprintf(out, is_optional ? "[=%s]" : "=%s", option->arg);
}

/*
 * Returns a text such as "  -o, --output=PATH", with the aliases that follow in
 * the option's table. The caller frees it.
 */
static char *names_of(const struct argp_option *option)
{
	char *text = NULL;
	size_t length;
	FILE *out = memory_stream(&text, &length);

	if (has_short(option))
		fprintf(out, "  -%c, ", option->key);
	else
		fputs("      ", out);
	put_name(out, option->name, option);
	for (const struct argp_option *alias = option + 1;
	     alias->name && (alias->flags & OPTION_ALIAS); alias++) {
		fputs(", ", out);
		put_name(out, alias->name, option);
	}
	fclose(out);
	return text;
}

static void put_option(FILE *out, const struct argp_option *option,
		       enum help_extent extent)
{
	char *names = names_of(option);
	int column = (int)strlen(names);

	fputs(names, out);
	free(names);
	if (extent == HELP_LINES) {
		fprintf(out, "  %s\n", option->doc);
		return;
	}
	if (column > TEXT_COLUMN - 2) {
		fputc('\n', out);
		column = 0;
	}
	fprintf(out, "%*s", TEXT_COLUMN - column, "");
	put_text(out, option->doc, TEXT_COLUMN, TEXT_COLUMN);
}

static void put_first(FILE *out, const struct option_list *list,
		      enum help_extent extent)
{
	if (!has_first(list))
		return;
	fputs("\nMost useful options:\n", out);
	for (int group = 0; group < GROUPS; group++)
		for (size_t i = 0; i < list->count; i++)
			if (list->items[i]->group == group &&
			    is_first(list, list->items[i]))
				put_option(out, list->items[i], extent);
}

/*
 * Prints the options of a group that are not first ones, with their
 * descriptions.
 */
static void put_group(FILE *out, const struct option_list *list, int group,
		      enum help_extent extent)
{
	int is_begun = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i]->group != group ||
		    is_first(list, list->items[i]))
			continue;
		if (!is_begun)
			fprintf(out, "\n%s:\n", headings[group]);
		is_begun = 1;
		put_option(out, list->items[i], extent);
	}
}

/* Prints the names of the options of a group that are not first ones. */
static void put_group_names(FILE *out, const struct option_list *list,
			    int group)
{
	int column = 0;

	for (size_t i = 0; i < list->count; i++) {
		const struct argp_option *option = list->items[i];
		char *name;

		if (option->group != group || is_first(list, option))
			continue;
		if (!column) {
			fprintf(out, "  %-*s", NAME_COLUMN - 2,
				headings[group]);
			column = NAME_COLUMN;
		}
		name = memory_printf("--%s", option->name);
		put_word(out, name, strlen(name), &column, NAME_COLUMN);
		free(name);
	}
	if (column)
		fputc('\n', out);
}

/* ---- The whole text ---- */

static void put_usage(FILE *out, const char *name, const char *arguments)
{
	const char *word = "Usage:";

	while (arguments) {
		const size_t length = strcspn(arguments, "\n");

		fprintf(out, "%s %s [OPTION...] %.*s\n", word, name,
			(int)length, arguments);
		word = "   or:";
		arguments = arguments[length] ? arguments + length + 1 : NULL;
	}
}

/* Prints the text that follows the options, if the command has one. */
static void put_end(FILE *out, const struct argp *argp)
{
	char *text;

	if (!argp->help_filter)
		return;
	text = argp->help_filter(ARGP_KEY_HELP_POST_DOC, NULL, NULL);
	if (text)
		fprintf(out, "\n%s", text);
	free(text);
}

static void put_help(FILE *out, const char *name, const struct argp *argp,
		     const struct option_list *list, enum help_extent extent)
{
	put_usage(out, name, argp->args_doc ? argp->args_doc : "");
	put_text(out, argp->doc, 0, 0);
	put_first(out, list, extent);
	if (extent == HELP_BRIEF) {
		fprintf(out,
			"\nOther options (`%s --help=all` describes them):\n",
			name);
		for (int group = 0; group < GROUPS; group++)
			put_group_names(out, list, group);
	} else {
		for (int group = 0; group < GROUPS; group++)
			put_group(out, list, group, extent);
	}
	put_end(out, argp);
}

static char *help_text(const char *name, const struct argp *argp,
		       const struct option_list *list, enum help_extent extent)
{
	char *text = NULL;
	size_t length;
	FILE *out = memory_stream(&text, &length);

	put_help(out, name, argp, list, extent);
	fclose(out);
	return text;
}

static int line_count(const char *text)
{
	int count = 0;

	while ((text = strchr(text, '\n'))) {
		text++;
		count++;
	}
	return count;
}

void help_print(FILE *out, const char *name, const struct argp *argp,
		enum help_extent extent)
{
	struct option_list list = { 0 };
	char *text;

	list_options(&list, argp);
	text = help_text(name, argp, &list,
			 extent == HELP_BRIEF ? HELP_ALL : extent);
	if (extent == HELP_BRIEF && line_count(text) > HELP_LINES_MAX) {
		free(text);
		text = help_text(name, argp, &list, HELP_BRIEF);
	}
	fputs(text, out);
	free(text);
	free(list.items);
}
