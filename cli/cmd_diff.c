/* SPDX-License-Identifier: MIT */
/* `clew diff`: shows the changes between two recordings. */
#include <stdlib.h>
#include <string.h>

#include "cli/cmd_html.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/show/view.h"
#include "report/view/diff.h"

enum {
	KEY_SORT = 's',
	KEY_TOP = 'n',
	KEY_TREE = 't',
	KEY_DEPTH = 'd',
	KEY_THRESHOLD = 0x300,
	KEY_HTML,
	KEY_VALUE,
	DEFAULT_TOP = 40,
};

/* Less than one call or one nanosecond. */
#define HIDE_UNCHANGED 1e-18

struct diff_options {
	struct view_options view;
	const char *after;      /* Path of the second recording. */
	struct session *before; /* The first recording, once it is open. */
	struct tree_limits limits;
	int key; /* enum diff_key; -1 for self time, if there is any. */
	int shows_tree;
	const char *page; /* File of --html, or NULL. */
	size_t top;
	int has_top;
};

static const struct argp_option argp_options[] = {
	{ "sort", KEY_SORT, "self|total|calls", HELP_FIRST,
	  "What to compare (default: self, or calls)", HELP_VIEWS },
	ROW_TOP(KEY_TOP),
	{ "tree", KEY_TREE, NULL, HELP_FIRST,
	  "Compare contexts instead of functions", HELP_VIEWS },
	{ "depth", KEY_DEPTH, "N", 0, "Show N levels of --tree (default: all)",
	  HELP_VIEWS },
	{ "threshold", KEY_THRESHOLD, "PERCENT", HELP_FIRST,
	  "Hide subtrees of --tree with less of all changes", HELP_VIEWS },
	{ "html", KEY_HTML, "FILE", HELP_FIRST,
	  "Write a page for a browser, as clew html does", HELP_VIEWS },
	ROW_VALUE(KEY_VALUE, 0, HELP_VIEWS),
	{ 0 },
};

static int parse_key(struct argp_state *state, const char *text)
{
	static const char *const names[] = {
		[DIFF_SELF] = "self",
		[DIFF_TOTAL] = "total",
		[DIFF_CALLS] = "calls",
	};

	return (int)parse_word(state, "sort", text, names, 3);
}

static void take_path(struct diff_options *options, char *path,
		      struct argp_state *state)
{
	if (state->arg_num > 1)
		argp_error(state, "more than two recordings are given");
	if (state->arg_num == 0)
		options->view.path = path;
	else
		options->after = path;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct diff_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->view;
		return 0;
	case KEY_SORT:
		options->key = parse_key(state, argument);
		return 0;
	case KEY_TOP:
		options->top = parse_number(state, "top", argument, UINT32_MAX);
		options->has_top = 1;
		return 0;
	case KEY_TREE:
		options->shows_tree = 1;
		return 0;
	case KEY_DEPTH:
		options->limits.depth = (uint32_t)parse_number(
			state, "depth", argument, UINT32_MAX);
		return 0;
	case KEY_THRESHOLD:
		options->limits.threshold_percent =
			parse_percent(state, argument);
		return 0;
	case KEY_HTML:
		options->page = argument;
		return 0;
	case KEY_VALUE:
		set_value(&options->view, argument);
		return 0;
	case ARGP_KEY_ARG:
		take_path(options, argument, state);
		return 0;
	case ARGP_KEY_END:
		if (state->arg_num < 2)
			argp_error(state,
				   "two recordings are needed: BEFORE AFTER");
		check_value(&options->view, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void write_table(struct session *session, const struct diff *diff,
			const struct diff_options *options)
{
	enum diff_key key =
		diff->metric == METRIC_TIME ? DIFF_SELF : DIFF_CALLS;
	struct diff_table table;
	size_t top = options->top;

	if (options->key >= 0)
		key = (enum diff_key)options->key;
	if (!options->has_top && options->view.writer == &writer_text)
		top = DEFAULT_TOP;
	diff_table_init(&table, diff, &options->view.selection, key);
	options->view.writer->diff(stdout, session,
				   &(struct diff_view){
					   .diff = diff,
					   .table = &table,
					   .key = key,
					   .top = top,
				   });
	diff_table_fini(&table);
}

/* Warns that milliseconds of two different clocks are not comparable. */
static void warn_of_clocks(const char *command, const struct diff *diff)
{
	if (!diff_has_like_clocks(diff))
		complain(command,
			 "warning: times are not comparable: the first "
			 "recording has %s, the second %s",
			 time_text(diff->clock_before),
			 time_text(diff->clock_after));
}

static void write_diff(const char *command, struct session *before,
		       struct session *after,
		       const struct diff_options *options)
{
	struct diff diff;

	diff_init(&diff, before, after);
	warn_of_clocks(command, &diff);
	before->metric = diff.metric;
	if (options->shows_tree)
		options->view.writer->tree(stdout, before,
					   &(struct tree_view){
						   .tree = &diff.changes,
						   .limits = options->limits,
						   .diff = &diff,
					   });
	else
		write_table(before, &diff, options);
	diff_fini(&diff);
}

/* Returns 0, or -errno and *why. */
static int write_page(const char *command, struct session *before,
		      struct session *after, const struct diff_options *options,
		      char **why)
{
	const struct recording_readers readers =
		recording_readers_of_both(options->view.path, options->after);
	struct diff diff;
	int err;

	diff_init(&diff, before, after);
	warn_of_clocks(command, &diff);
	err = html_save(options->page,
			&(struct html_view){
				.session = after,
				.whose = &options->view.whose,
				.diff = &diff,
				.before = before,
			},
			&readers, why);
	diff_fini(&diff);
	return err;
}

/* Shows both sessions. */
static int show(const char *command, struct session *after, void *input)
{
	struct diff_options *options = input;
	char *why;
	int err;

	if (options->page) {
		err = write_page(command, options->before, after, options,
				 &why);
		progress_clear(&options->view.progress);
		return err ? give_up(command, why) : finish_output(command);
	}
	if (!selection_has_any(&options->view.selection,
			       &options->before->catalog,
			       &options->before->tree)) {
		err = view_check_selection(command, &options->view, after);
		if (err)
			return err;
	}
	view_begin(&options->view, options->before);
	write_diff(command, options->before, after, options);
	return view_finish(&options->view, command);
}

static int show_before(const char *command, struct session *before, void *input)
{
	struct diff_options *options = input;

	options->before = before;
	options->view.path = options->after;
	return view_recording(command, &options->view, show, options);
}

int command_diff(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "BEFORE AFTER",
		.doc = "Show what changed between two recordings, also of "
		       "different builds.",
		.children = view_children,
	};
	struct diff_options options = {
		.key = -1,
		.limits.threshold_percent = HIDE_UNCHANGED,
	};

	return view_command(&argp, argc, argv, &options.view, show_before,
			    &options);
}
