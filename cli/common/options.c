/* SPDX-License-Identifier: MIT */
/* See options.h. */
#include "cli/common/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
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
	KEY_FOCUS,
	KEY_IGNORE,
	KEY_COLLAPSE,
	KEY_FOLD,
	KEY_VIEW,
	KEY_SAVE_VIEW,
	KEY_FULL_NAMES,
};

/* clang-format off */
#define ROWS_FILTERS(flags) \
	ROW_MODULE(KEY_MODULE), \
	ROW_FUNCTION(KEY_FUNCTION), \
	ROW_THREAD(KEY_THREAD, HELP_FIRST), \
	ROW_PROCESS(KEY_PROCESS, HELP_FIRST), \
	{ "focus", KEY_FOCUS, "REGEX", flags, \
	  "Show only contexts in which a function matches", HELP_FILTERS }, \
	{ "ignore", KEY_IGNORE, "REGEX", flags, \
	  "Hide contexts in which a function matches", HELP_FILTERS }, \
	{ "collapse", KEY_COLLAPSE, "REGEX", flags, \
	  "Show a function and all its callees as one", HELP_FILTERS }, \
	{ "fold", KEY_FOLD, "WORD[,WORD...]", flags, \
	  "Show a NAMESPACE, module:GLOB or recursion as one", HELP_FILTERS }, \
	{ "view", KEY_VIEW, "NAME", 0, \
	  "Use the filters that --save-view saved", \
	  HELP_FILTERS }, \
	{ "save-view", KEY_SAVE_VIEW, "NAME", 0, \
	  "Save the filters from -m to --fold for --view", HELP_FILTERS }

#define ROWS_CONTENTS \
	{ "lines", KEY_LINES, NULL, 0, \
	  "Show the source file and line of each function", HELP_CONTENTS }, \
	{ "inlines", KEY_INLINES, NULL, HELP_FIRST, \
	  "Show functions that the compiler inlined", HELP_CONTENTS }, \
	ROW_FULL_NAMES(KEY_FULL_NAMES), \
	{ "metric", KEY_METRIC, "calls|time", 0, \
	  "What to show and sort by (default: time, if recorded)", \
	  HELP_CONTENTS }, \
	{ "self-cost", KEY_SELF_COST, NULL, 0, \
	  "Show the time that clew itself took", HELP_CONTENTS }
/* clang-format on */

static const struct argp_option argp_options[] = {
	ROWS_FILTERS(0),
	ROWS_CONTENTS,
	{ "quiet", KEY_QUIET, NULL, 0, "Print only the table, and no progress",
	  HELP_CONTENTS },
	{ "details", KEY_DETAILS, NULL, 0,
	  "Print all facts about the recording's quality", HELP_CONTENTS },
	ROW_JSON(KEY_JSON),
	{ 0 },
};

static const struct argp_option screen_options[] = {
	ROWS_FILTERS(HELP_FIRST),
	ROWS_CONTENTS,
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

/*
 * Stores the text of an option that can be saved in a view. Reports an error if
 * the option is given twice.
 */
static void take_text(struct view_options *options, enum saved_option option,
		      const char *text, struct argp_state *state)
{
	if (options->saved.values[option])
		complain_of_usage(state,
				  "--%s is given twice; combine both as "
				  "\"A|B\"",
				  saved_option_names[option]);
	options->saved.values[option] = text;
}

static void add_folds(struct view_options *options, const char *text,
		      struct argp_state *state)
{
	if (transform_add_folds(&options->transform, text) != 0)
		complain_of_usage(state,
				  "--fold=%s: not namespaces, module:GLOB or "
				  "recursion, with commas between them",
				  text);
}

/* Joins the texts of several --fold, which are saved as one. */
static void take_folds(struct view_options *options, const char *text,
		       struct argp_state *state)
{
	const char *before = options->saved.values[SAVED_FOLD];
	char *both = memory_printf("%s%s%s", before ? before : "",
				   before ? "," : "", text);

	free(options->folds_text);
	options->folds_text = both;
	options->saved.values[SAVED_FOLD] = both;
	add_folds(options, text, state);
}

/* Uses the options of a view that the command line does not have. */
static void use_view(struct view_options *options, struct argp_state *state)
{
	const struct saved_view given = options->saved;
	char *why;

	if (saved_view_read(&options->saved, options->view_name, &why) != 0)
		complain_of_usage(state, "--view=%s", why);
	if (!given.values[SAVED_MODULE])
		options->selection.module = options->saved.values[SAVED_MODULE];
	if (!given.values[SAVED_FUNCTION] &&
	    options->saved.values[SAVED_FUNCTION])
		parse_function(state, options->saved.values[SAVED_FUNCTION],
			       &options->regex, &options->selection);
	if (!given.values[SAVED_FOLD] && options->saved.values[SAVED_FOLD])
		add_folds(options, options->saved.values[SAVED_FOLD], state);
}

static void compile(const struct view_options *options,
		    enum saved_option option, regex_t *regex,
		    const regex_t **used, struct argp_state *state)
{
	const char *text = options->saved.values[option];

	if (!text)
		return;
	parse_regex(state, saved_option_names[option], text, regex);
	*used = regex;
}

static void finish(struct view_options *options, struct argp_state *state)
{
	struct transform *transform = &options->transform;
	char *why;

	if (options->view_name)
		use_view(options, state);
	compile(options, SAVED_FOCUS, &options->focus, &transform->focus,
		state);
	compile(options, SAVED_IGNORE, &options->ignore, &transform->ignore,
		state);
	compile(options, SAVED_COLLAPSE, &options->collapse,
		&transform->collapse, state);
	if (options->saved_name &&
	    saved_view_write(&options->saved, options->saved_name, &why) != 0)
		complain_of_usage(state, "--save-view=%s", why);
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
		options->saved.values[SAVED_MODULE] = argument;
		return 0;
	case KEY_FUNCTION:
		parse_function(state, argument, &options->regex,
			       &options->selection);
		options->saved.values[SAVED_FUNCTION] = argument;
		return 0;
	case KEY_FOCUS:
		take_text(options, SAVED_FOCUS, argument, state);
		return 0;
	case KEY_IGNORE:
		take_text(options, SAVED_IGNORE, argument, state);
		return 0;
	case KEY_COLLAPSE:
		take_text(options, SAVED_COLLAPSE, argument, state);
		return 0;
	case KEY_FOLD:
		take_folds(options, argument, state);
		return 0;
	case KEY_VIEW:
		options->view_name = argument;
		return 0;
	case KEY_SAVE_VIEW:
		options->saved_name = argument;
		return 0;
	case ARGP_KEY_END:
		finish(options, state);
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
	case KEY_FULL_NAMES:
		options->shows_full_names = 1;
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

const struct argp screen_argp = {
	.options = screen_options,
	.parser = parse,
	.children = color_children,
};

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

void check_window(struct view_options *options, struct argp_state *state)
{
	if (!window_is_asked(&options->window))
		return;
	if (options->whose.value)
		argp_error(state, "--value excludes --from, --to and --around: "
				  "values have no times");
	if (options->whose.labels)
		argp_error(state, "--context=site and FN@ARG exclude --from, "
				  "--to and --around");
	options->whose.with_timeline = 1;
	options->narrows = 1;
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
	if (options->transform.focus)
		regfree(&options->focus);
	if (options->transform.ignore)
		regfree(&options->ignore);
	if (options->transform.collapse)
		regfree(&options->collapse);
	transform_fini(&options->transform);
	free(options->folds_text);
	free(options->saved.text);
}
