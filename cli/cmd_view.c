/* SPDX-License-Identifier: MIT */
/* `clew view`: shows a recording on a screen. */
#include <stdlib.h>
#include <unistd.h>

#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/show/source_paths.h"
#include "cli/show/view.h"
#include "cli/show/view_screen.h"

enum { KEY_SOURCE_PATH = 0x300 };

struct view_command {
	struct view_options view;
	struct source_files sources;
	struct view_screen_state state;
	enum view_screen_end end;
};

static const struct argp_option argp_options[] = {
	ROW_SOURCE_PATH(KEY_SOURCE_PATH, HELP_FIRST),
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct view_command *command = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &command->view;
		state->child_inputs[1] = &command->view.window;
		command->view.whose.is_only_merged = 1;
		return 0;
	case KEY_SOURCE_PATH:
		parse_source_path(state, argument, &command->sources);
		return 0;
	case ARGP_KEY_END:
		check_window(&command->view, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int show(const char *command, struct session *session, void *input)
{
	struct view_command *view = input;
	int status = view_check_selection(command, &view->view, session);
	char *why;

	if (status)
		return status;
	progress_clear(&view->view.progress);
	session->has_color = terminal_has_color(&view->view.terminal);
	if (view_screen_run(session, &view->view, &view->sources, &view->state,
			    &view->end, &why) == 0)
		return EXIT_SUCCESS;
	complain(command, "%s; use clew report, clew tree or clew annotate",
		 why);
	free(why);
	return EXIT_FAILURE;
}

/* Reads the recording again for as long as the user changes what to read. */
static int run(const char *command, struct view_command *view)
{
	int status;

	for (;;) {
		view->end = VIEW_QUITS;
		status = view_recording(command, &view->view, show, view);
		if (status || view->end == VIEW_QUITS)
			return status;
		view->view.shows_inlines = !view->view.shows_inlines;
	}
}

int command_view(int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = &screen_argp },
		{ .argp = &later_window_argp },
		{ 0 },
	};
	const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Show a recording on a screen: functions, the tree of "
		       "calls, callers and callees.",
		.children = children,
	};
	struct view_command view = { 0 };
	int status = EXIT_FAILURE;

	view_options_init(&view.view);
	command_line_parse(&argp, argc, argv, 0, &view);
	if (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO))
		status = run(argv[0], &view);
	else
		complain(argv[0],
			 "stdin or stdout is no terminal; use clew report, "
			 "clew tree or clew annotate");
	view_options_fini(&view.view);
	source_files_fini(&view.sources);
	free(view.state.function);
	view_steps_fini(&view.state.steps);
	return status;
}
