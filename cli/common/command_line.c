/* SPDX-License-Identifier: MIT */
/* See command_line.h. */
#include "cli/common/command_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/option_values.h"

enum { KEY_HELP = '?', KEY_VERSION = 'V', KEY_USAGE = 0x7ff };

static const struct argp_option help_options[] = {
	{ "help", KEY_HELP, "all", OPTION_ARG_OPTIONAL,
	  "List the most useful options, or all of them", HELP_HELP },
	{ "usage", KEY_USAGE, NULL, 0, "List the options without descriptions",
	  HELP_HELP },
	{ "version", KEY_VERSION, NULL, 0, "Print the version of clew",
	  HELP_HELP },
	{ 0 },
};

struct command_line {
	const struct argp *argp; /* The command's argp and help_options. */
	void *input;             /* Input of the command's argp. */
	int is_program;          /* The first word ends the options. */
};

/* ---- Unknown options ---- */

/* Searches the option that an argument means. */
struct option_search {
	const char *name; /* A long option, without "--". */
	size_t length;
	int key; /* A short option; 0 if `name` is set. */
	const struct argp_option *found;
	int is_exact;
	size_t count; /* Number of long options that begin with `name`. */
	struct nearest nearest;
};

static void compare(struct option_search *search,
		    const struct argp_option *option,
		    const struct argp_option *with_argument)
{
	if (search->key) {
		if (option->key == search->key)
			search->found = with_argument;
		return;
	}
	nearest_offer(&search->nearest, option->name, strlen(option->name));
	if (search->is_exact ||
	    strncmp(option->name, search->name, search->length) != 0)
		return;
	search->is_exact = option->name[search->length] == '\0';
	search->count++;
	search->found = with_argument;
}

static void search_options(struct option_search *search,
			   const struct argp *argp)
{
	const struct argp_option *option = argp->options, *named = option;
	const struct argp_child *child = argp->children;

	for (; option && option->name; option++) {
		if (!(option->flags & OPTION_ALIAS))
			named = option;
		compare(search, option, named);
	}
	for (; child && child->argp; child++)
		search_options(search, child->argp);
}

static int takes_next(const struct argp_option *option)
{
	return option && option->arg && !(option->flags & OPTION_ARG_OPTIONAL);
}

/* Checks a long option. Returns whether the next argument belongs to it. */
static int check_long(const struct argp *argp, const char *text,
		      struct argp_state *state)
{
	const size_t length = strcspn(text, "=");
	char *name = strndup(text, length);
	struct option_search search = { .name = name, .length = length };
	int takes = 0;

	if (!name)
		return 0;
	search.nearest = nearest_to(name);
	search_options(&search, argp);
	if (search.count == 0 && search.nearest.best)
		complain_of_usage(state,
				  "--%s: unknown option; did you mean --%s?",
				  name, search.nearest.best);
	else if (search.count == 0)
		complain_of_usage(state, "--%s: unknown option", name);
	else
		takes = !text[length] && takes_next(search.found);
	free(name);
	return takes;
}

/* Like check_long(), for a word of short options. */
static int check_short(const struct argp *argp, const char *text,
		       struct argp_state *state)
{
	for (; *text; text++) {
		struct option_search search = { .key = (unsigned char)*text };

		search_options(&search, argp);
		if (!search.found)
			complain_of_usage(state, "-%c: unknown option", *text);
		else if (search.found->arg)
			return takes_next(search.found) && !text[1];
	}
	return 0;
}

static void check_options(const struct command_line *line,
			  struct argp_state *state)
{
	for (int i = 1; i < state->argc; i++) {
		const char *text = state->argv[i];

		if (strcmp(text, "--") == 0)
			return;
		if (strncmp(text, "--", 2) == 0)
			i += check_long(line->argp, text + 2, state);
		else if (text[0] == '-' && text[1])
			i += check_short(line->argp, text + 1, state);
		else if (line->is_program)
			return;
	}
}

/* ---- Help, and parsing ---- */

static enum help_extent parse_extent(struct argp_state *state, const char *text)
{
	static const char *const known[] = { "all" };

	if (!text)
		return HELP_BRIEF;
	if (strcmp(text, "all") == 0)
		return HELP_ALL;
	if (strcmp(text, "lines") != 0)
		refuse_word(state, "help", text, known, 1);
	return HELP_LINES;
}

static void print_help(const struct command_line *line,
		       struct argp_state *state, const char *extent)
{
	struct argp whole = *line->argp;
	const struct argp *own = whole.children[0].argp;

	whole.args_doc = own->args_doc;
	whole.doc = own->doc;
	whole.help_filter = own->help_filter;
	help_print(stdout, state->name, &whole, parse_extent(state, extent));
	exit(finish_output(state->name));
}

static error_t parse_help(int key, char *argument, struct argp_state *state)
{
	const struct command_line *line = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->name = state->argv[0]; /* argp sets it later. */
		check_options(line, state);
		return 0;
	case KEY_HELP:
		print_help(line, state, argument);
		return 0;
	case KEY_USAGE:
		argp_state_help(state, stdout, ARGP_HELP_USAGE);
		exit(finish_output(state->name));
	case KEY_VERSION:
		puts(argp_program_version);
		exit(finish_output(state->name));
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_all(int key, char *argument, struct argp_state *state)
{
	struct command_line *line = state->input;

	(void)argument;
	if (key != ARGP_KEY_INIT)
		return ARGP_ERR_UNKNOWN;
	state->child_inputs[0] = line->input;
	state->child_inputs[1] = line;
	return 0;
}

static void parse_arguments(const struct argp *argp, int argc, char **argv,
			    unsigned int flags, struct command_line *line)
{
	static const struct argp help_argp = { .options = help_options,
					       .parser = parse_help };
	const struct argp_child children[] = {
		{ .argp = argp },
		{ .argp = &help_argp },
		{ 0 },
	};
	const struct argp whole = { .parser = parse_all, .children = children };

	line->argp = &whole;
	argp_parse(&whole, argc, argv, flags | ARGP_NO_HELP, NULL, line);
	line->argp = NULL;
}

void command_line_parse(const struct argp *argp, int argc, char **argv,
			unsigned int flags, void *input)
{
	struct command_line line = { .input = input };

	parse_arguments(argp, argc, argv, flags, &line);
}

void command_line_parse_program(const struct argp *argp, int argc, char **argv,
				void *input)
{
	struct command_line line = { .input = input, .is_program = 1 };

	parse_arguments(argp, argc, argv, ARGP_IN_ORDER, &line);
}
