/* SPDX-License-Identifier: MIT */
/* See options.h. */
#include "cli/common/options.h"

#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/help.h"

enum {
	KEY_MODULE = 'm',
	KEY_FUNCTION = 'f',
	KEY_THREAD = 0x100,
	KEY_PROCESS,
	KEY_JSON,
	KEY_LINES = 'l',
	KEY_INLINES = 'i',
	KEY_METRIC = 0x200,
	KEY_SELF_COST,
	KEY_QUIET = 'q',
	KEY_DETAILS = 0x202,
};

static const struct argp_option argp_options[] = {
	ROW_MODULE(KEY_MODULE),
	ROW_FUNCTION(KEY_FUNCTION),
	ROW_THREAD(KEY_THREAD, HELP_FIRST),
	ROW_PROCESS(KEY_PROCESS, HELP_FIRST),
	{ "lines", KEY_LINES, NULL, 0,
	  "Show the source file and line of each function", HELP_CONTENTS },
	{ "inlines", KEY_INLINES, NULL, HELP_FIRST,
	  "Show functions that the compiler inlined", HELP_CONTENTS },
	{ "metric", KEY_METRIC, "calls|time", 0,
	  "What to show and sort by (default: time, if recorded)",
	  HELP_CONTENTS },
	{ "self-cost", KEY_SELF_COST, NULL, 0,
	  "Show the time that clew itself took", HELP_CONTENTS },
	{ "quiet", KEY_QUIET, NULL, 0, "Print only the table, and no progress",
	  HELP_CONTENTS },
	{ "details", KEY_DETAILS, NULL, 0,
	  "Print all facts about the recording's quality", HELP_CONTENTS },
	ROW_JSON(KEY_JSON),
	{ 0 },
};

enum grouping parse_grouping(struct argp_state *state, const char *text)
{
	static const char *const known[] = { "process", "thread" };

	return parse_word(state, "group", text, known, 2) ? GROUP_THREAD
							  : GROUP_PROCESS;
}

void parse_function(struct argp_state *state, const char *text, regex_t *regex,
		    struct selection *selection)
{
	if (selection->function)
		argp_error(
			state,
			"--function is given twice; combine both as \"A|B\"");
	parse_regex(state, "function", text, regex);
	selection->function = regex;
	selection->function_text = text;
}

static int parse_metric(struct argp_state *state, const char *text)
{
	static const char *const known[] = { "calls", "time" };

	return parse_word(state, "metric", text, known, 2) ? METRIC_TIME
							   : METRIC_CALLS;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct view_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->terminal;
		return 0;
	case KEY_MODULE:
		options->selection.module = argument;
		return 0;
	case KEY_FUNCTION:
		parse_function(state, argument, &options->regex,
			       &options->selection);
		return 0;
	case KEY_THREAD:
		options->whose.thread = argument;
		return 0;
	case KEY_PROCESS:
		options->whose.pid = (uint32_t)parse_number(
			state, "process", argument, INT32_MAX);
		return 0;
	case KEY_LINES:
		options->shows_lines = 1;
		options->whose.by_line = 1;
		return 0;
	case KEY_INLINES:
		options->shows_inlines = 1;
		return 0;
	case KEY_METRIC:
		options->metric = parse_metric(state, argument);
		return 0;
	case KEY_SELF_COST:
		options->whose.with_clew = 1;
		return 0;
	case KEY_QUIET:
		options->is_quiet = 1;
		return 0;
	case KEY_DETAILS:
		options->shows_details = 1;
		return 0;
	case KEY_JSON:
		options->writer = &writer_json;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "more than one recording is given");
		options->path = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = argp_options,
	.parser = parse,
	.children = terminal_children,
};

const struct argp_child view_children[] = { { .argp = &argp }, { 0 } };

void set_value(struct view_options *options, const char *name)
{
	options->whose.value = name;
	options->whose.without_time = 1;
}

void check_value(const struct view_options *options, struct argp_state *state)
{
	if (options->whose.value &&
	    (options->whose.thread || options->whose.grouping == GROUP_THREAD))
		argp_error(
			state,
			"--value excludes --thread and --group=thread: agents "
			"count per process");
}

void view_options_init(struct view_options *options)
{
	*options = (struct view_options){
		.path = DEFAULT_RECORDING,
		.writer = &writer_text,
		.metric = -1,
	};
}

void view_options_fini(struct view_options *options)
{
	if (options->selection.function)
		regfree(&options->regex);
}
