/* SPDX-License-Identifier: MIT */
/* See cmd_html.h. */
#include "cli/cmd_html.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/replacement.h"
#include "cli/common/trace_options.h"
#include "cli/show/source_paths.h"
#include "cli/show/view.h"

enum {
	KEY_OUTPUT = 'o',
	KEY_THREAD = 0x100,
	KEY_PROCESS,
	KEY_NO_INLINES,
	KEY_SLICES,
	KEY_VALUE,
	KEY_SOURCES,
	KEY_SOURCE_PATH,
	DEFAULT_SLICES = 1000000,
	SLICES_MAX = 100000000,
};

struct html_options {
	struct view_options view;
	struct window_options window;
	const char *output;
	size_t slices;
	int has_slices;
	struct source_files sources;
	struct call_sites sites;
	int embeds_sources;
};

static const struct argp_option argp_options[] = {
	{ "output", KEY_OUTPUT, "FILE", HELP_FIRST,
	  "Where to write the page (default: clew.html; -: stdout)",
	  HELP_OUTPUT },
	ROW_THREAD(KEY_THREAD, HELP_FIRST),
	ROW_PROCESS(KEY_PROCESS, HELP_FIRST),
	{ "no-inlines", KEY_NO_INLINES, NULL, HELP_FIRST,
	  "Omit functions that the compiler inlined", HELP_CONTENTS },
	{ "slices", KEY_SLICES, "N", HELP_FIRST,
	  "Limit the timeline to N calls (default: 1000000; 0: none)",
	  HELP_CONTENTS },
	ROW_VALUE(KEY_VALUE, HELP_FIRST, HELP_CONTENTS),
	{ "sources", KEY_SOURCES, NULL, HELP_FIRST,
	  "Embed the source files that have time (at most 8 MiB)",
	  HELP_CONTENTS },
	ROW_SOURCE_PATH(KEY_SOURCE_PATH, HELP_FIRST),
	{ 0 },
};

/*
 * Rejects options about times together with --value, because values have no
 * times, and a time window without a timeline (--slices=0).
 */
static void check_timeline(struct html_options *options,
			   struct argp_state *state)
{
	const int has_window = window_is_asked(&options->window);

	if (options->view.whose.value && (options->has_slices || has_window))
		argp_error(
			state,
			"--value excludes --slices, --from, --to and --around: "
			"values have no times");
	if (options->slices == 0 && has_window)
		argp_error(state,
			   "--slices=0 excludes --from, --to and --around");
	/* The page computes times of traces from its slices. */
	options->view.whose.without_trace_times = 1;
	options->view.whose.with_timeline =
		options->slices > 0 && !options->view.whose.value;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct html_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		options->view.shows_inlines = 1;
		state->child_inputs[0] = &options->window;
		return 0;
	case KEY_OUTPUT:
		options->output = argument;
		return 0;
	case KEY_THREAD:
		options->view.whose.thread = argument;
		return 0;
	case KEY_PROCESS:
		options->view.whose.pid = (uint32_t)parse_number(
			state, "process", argument, INT32_MAX);
		return 0;
	case KEY_NO_INLINES:
		options->view.shows_inlines = 0;
		return 0;
	case KEY_SLICES:
		options->slices =
			parse_number(state, "slices", argument, SLICES_MAX);
		options->has_slices = 1;
		return 0;
	case KEY_VALUE:
		set_value(&options->view, argument);
		return 0;
	case KEY_SOURCES:
		options->embeds_sources = 1;
		return 0;
	case KEY_SOURCE_PATH:
		parse_source_path(state, argument, &options->sources);
		options->embeds_sources = 1;
		return 0;
	case ARGP_KEY_END:
		check_value(&options->view, state);
		check_timeline(options, state);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "more than one recording is given");
		options->view.path = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Returns the error and *why. */
static int refuse_period(int err, const struct session *session, char **why)
{
	return fail(why, err,
		    "--from, --to, --around: nothing with a time was recorded "
		    "in this period; the recording lasts %s",
		    text_duration(session->summary.ran_ns).text);
}

int html_save(const char *path, const struct html_view *view,
	      const struct recording_readers *readers, char **why)
{
	struct replacement file;
	int err;

	if (strcmp(path, "-") == 0) {
		err = html_write(stdout, view);
		return err ? refuse_period(err, view->session, why) : 0;
	}
	err = replacement_begin(&file, path, readers, why);
	if (err)
		return err;
	err = html_write(file.out, view);
	if (!err)
		return replacement_commit(&file, why);
	replacement_revert(&file);
	return refuse_period(err, view->session, why);
}

/*
 * Reports the written file to a user at a terminal, who sees no other output.
 */
static void print_written(const char *command,
			  const struct html_options *options)
{
	struct stat status;

	if (!isatty(STDERR_FILENO) || stat(options->output, &status) != 0)
		return;
	complain(command, "wrote %s (%.1f MB); open it in a browser",
		 options->output, (double)status.st_size / 1e6);
}

static int show(const char *command, struct session *session, void *input)
{
	struct html_options *options = input;
	struct html_view view = {
		.session = session,
		.whose = &options->view.whose,
		.slices = options->slices,
		.window = window_of(&options->window,
				    recording_start_ns(&session->recording)),
		.sources = options->embeds_sources ? &options->sources : NULL,
	};
	const struct recording_readers readers =
		recording_readers(options->view.path);
	char *why;
	int err = 0;

	if (options->embeds_sources) {
		err = call_sites_read(&options->sites, session,
				      options->view.path, &options->view.whose,
				      &why);
		view.sites = &options->sites;
	}
	if (!err)
		err = html_save(options->output, &view, &readers, &why);

	progress_clear(&options->view.progress);
	if (err)
		return give_up(command, why);
	print_written(command, options);
	return finish_output(command);
}

int command_html(int argc, char **argv)
{
	static const struct argp_child children[] = {
		{ .argp = &window_argp },
		{ 0 },
	};
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Write a page with flame graphs, tables and a "
		       "timeline for a browser.",
		.children = children,
	};
	struct html_options options = {
		.output = "clew.html",
		.slices = DEFAULT_SLICES,
	};
	const int status =
		view_command(&argp, argc, argv, &options.view, show, &options);

	source_files_fini(&options.sources);
	call_sites_fini(&options.sites);
	return status;
}
