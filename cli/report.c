/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "cli/command.h"
#include "cli/options.h"
#include "report/flat.h"

enum { KEY_SORT = 's', KEY_TOP = 'n', DEFAULT_TOP = 40 };

struct options {
	struct view_options view;
	struct flat_keys keys;
	size_t top;
	int has_top;
};

static const struct argp_option argp_options[] = {
	{ "sort", KEY_SORT, "KEY[,KEY...]", 0,
	  "Sort by calls (default), contexts, callers, callees, name, module",
	  0 },
	{ "top", KEY_TOP, "N", 0,
	  "Show the first N functions (default: 40 as text; 0: all)", 0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->view;
		return 0;
	case KEY_SORT:
		if (flat_parse_keys(argument, &options->keys) != 0)
			argp_error(state, "--sort %s: no such key", argument);
		return 0;
	case KEY_TOP:
		options->top = parse_number(state, "top", argument, UINT32_MAX);
		options->has_top = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void write_report(struct session *session, const struct options *options)
{
	struct flat flat;
	size_t top = options->top;

	if (!options->has_top && options->view.writer == &writer_text)
		top = DEFAULT_TOP;
	flat_init(&flat, &session->tree, session->catalog.function_count);
	flat_select(&flat, &options->view.selection, &session->catalog);
	flat_sort(&flat, &options->keys, &session->catalog);
	options->view.writer->flat(stdout, session, &flat, top);
	flat_fini(&flat);
}

int command_report(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &view_argp },
		{ 0 },
	};
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Show how often each function was called.",
		.children = children,
	};
	struct options options = { .keys = { .count = 1 } }; /* by calls */
	struct session session;
	char *why;
	int status;

	view_options_init(&options.view);
	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (session_open(&session, options.view.path, &options.view.whose,
			 &why) != 0) {
		status = give_up(argv[0], why);
		goto fini;
	}
	session.shows_lines = options.view.shows_lines;
	write_report(&session, &options);
	session_close(&session);
	status = finish_output(argv[0]);
fini:
	view_options_fini(&options.view);
	return status;
}
