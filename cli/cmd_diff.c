/* SPDX-License-Identifier: MIT */
/* `clew diff`: shows and judges the changes between two recordings. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/cmd_html.h"
#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/replacement.h"
#include "cli/show/view.h"
#include "report/view/diff.h"
#include "report/view/gate.h"
#include "report/write/gate_text.h"

enum {
	KEY_SORT = 's',
	KEY_TOP = 'n',
	KEY_TREE = 't',
	KEY_DEPTH = 'd',
	KEY_THRESHOLD = 0x300,
	KEY_HTML,
	KEY_VALUE,
	KEY_FAIL_IF,
	KEY_JUNIT,
	KEY_MARKDOWN,
	DEFAULT_TOP = 40,
	STATUS_FAILED = 2, /* A condition of --fail-if failed. */
};

/* Threshold in percent that hides only subtrees without any change. */
#define HIDE_UNCHANGED 1e-18

struct diff_options {
	struct view_options view;
	/*
	 * Paths of the second and of the first recording. view.path is the path
	 * of the recording that was opened last.
	 */
	const char *after, *before_path;
	struct session *before; /* The first recording, once it is open. */
	struct tree_limits limits;
	/* enum diff_key; -1: self time if there is any, otherwise calls. */
	int key;
	int shows_tree;
	const char *page; /* File of --html, or NULL. */
	/* Texts of --fail-if until all options are parsed; then conditions. */
	char **texts;
	size_t text_count, text_capacity;
	struct condition *conditions;
	const char *junit; /* File of --junit, or NULL. */
	int is_markdown;
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
	{ "threshold", KEY_THRESHOLD, "PERCENT", 0,
	  "Hide subtrees of --tree with less of all changes", HELP_VIEWS },
	{ "html", KEY_HTML, "FILE", HELP_FIRST,
	  "Write a page for a browser, as clew html does", HELP_VIEWS },
	ROW_VALUE(KEY_VALUE, 0, HELP_VIEWS),
	{ "fail-if", KEY_FAIL_IF, "CONDITION", HELP_FIRST,
	  "Exit with 2 if a change is too large: 'calls(FN)>5%'", HELP_OUTPUT },
	{ "junit", KEY_JUNIT, "FILE", 0,
	  "Write the results of --fail-if as a JUnit report", HELP_OUTPUT },
	{ "markdown", KEY_MARKDOWN, NULL, 0,
	  "Write a Markdown table for a pull request", HELP_OUTPUT },
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

static void add_condition(struct diff_options *options, char *text)
{
	options->texts =
		memory_grow(options->texts, options->text_count,
			    &options->text_capacity, sizeof(*options->texts));
	options->texts[options->text_count++] = text;
}

/* Parses the conditions after all options. */
static void parse_conditions(struct diff_options *options,
			     struct argp_state *state)
{
	const size_t count = options->text_count;
	char *why;

	options->conditions =
		memory_zeroed(count, sizeof(*options->conditions));
	for (size_t i = 0; i < count; i++) {
		if (condition_parse(&options->conditions[i], options->texts[i],
				    &why) != 0)
			complain_of_usage(state, "--fail-if='%s': %s",
					  options->texts[i], why);
	}
	free(options->texts);
	options->texts = NULL;
}

static void check(struct diff_options *options, struct argp_state *state)
{
	if (state->arg_num < 2)
		argp_error(state, "two recordings are needed: BEFORE AFTER");
	check_value(&options->view, state);
	if (options->junit && options->text_count == 0)
		argp_error(state, "--junit needs --fail-if");
	if (options->is_markdown && options->view.writer == &writer_json)
		argp_error(state, "--markdown and --json exclude each other");
	if (options->shows_tree &&
	    (options->is_markdown || options->text_count > 0))
		argp_error(state, "--tree excludes --markdown and --fail-if");
	parse_conditions(options, state);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct diff_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->view;
		options->view.takes_baselines = 1;
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
	case KEY_FAIL_IF:
		add_condition(options, argument);
		return 0;
	case KEY_JUNIT:
		options->junit = argument;
		return 0;
	case KEY_MARKDOWN:
		options->is_markdown = 1;
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static enum diff_key key_of(const struct diff *diff,
			    const struct diff_options *options)
{
	if (options->key >= 0)
		return (enum diff_key)options->key;
	return diff->metric == METRIC_TIME ? DIFF_SELF : DIFF_CALLS;
}

static void write_table(struct session *session, const struct diff *diff,
			const struct diff_options *options,
			const struct gate *gate)
{
	struct diff_view view = {
		.diff = diff,
		.key = key_of(diff, options),
		.top = options->top,
		.gate = gate,
	};
	struct diff_table table;

	if (!options->has_top && options->view.writer == &writer_text)
		view.top = DEFAULT_TOP;
	diff_table_init(&table, diff, &options->view.selection, view.key);
	view.table = &table;
	if (options->is_markdown)
		markdown_diff(stdout, session, &view);
	else
		options->view.writer->diff(stdout, session, &view);
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

static void write_diff(struct session *before, const struct diff *diff,
		       const struct diff_options *options,
		       const struct gate *gate)
{
	before->metric = diff->metric;
	if (options->shows_tree)
		options->view.writer->tree(stdout, before,
					   &(struct tree_view){
						   .tree = &diff->changes,
						   .limits = options->limits,
						   .diff = diff,
					   });
	else if (gate && options->view.writer == &writer_text &&
		 !options->is_markdown)
		text_gate(stdout, before, gate);
	else
		write_table(before, diff, options, gate);
}

/* Returns 0, or -errno and *why. */
static int write_page(struct session *before, struct session *after,
		      const struct diff *diff,
		      const struct diff_options *options, char **why)
{
	const struct recording_readers readers = recording_readers_of_both(
		options->before_path, options->view.path);

	return html_save(options->page,
			 &(struct html_view){
				 .session = after,
				 .whose = &options->view.whose,
				 .diff = diff,
				 .before = before,
			 },
			 &readers, why);
}

/* Returns 0, or -errno and *why. */
static int write_junit(struct session *before, const struct gate *gate,
		       const struct diff_options *options, char **why)
{
	const struct recording_readers readers = recording_readers_of_both(
		options->before_path, options->view.path);
	struct replacement file;
	int err = replacement_begin(&file, options->junit, &readers, why);

	if (err)
		return err;
	junit_gate(file.out, before, gate);
	return replacement_commit(&file, why);
}

/* Returns 0, or -errno and *why. */
static int write_files(struct session *before, struct session *after,
		       const struct diff *diff, const struct gate *gate,
		       const struct diff_options *options, char **why)
{
	int err = 0;

	if (options->page)
		err = write_page(before, after, diff, options, why);
	if (!err && options->junit)
		err = write_junit(before, gate, options, why);
	return err;
}

/* Refuses what needs contexts, which a baseline does not have. */
static int check_contexts(const struct session *before,
			  const struct session *after,
			  const struct diff_options *options, char **why)
{
	if ((!before->totals && !after->totals) ||
	    (!options->shows_tree && !options->page))
		return 0;
	return fail(why, -EINVAL,
		    "%s: a baseline has no contexts, which %s needs; compare "
		    "two recordings",
		    before->totals ? options->before_path : options->view.path,
		    options->shows_tree ? "--tree" : "--html");
}

static const char *compared_measure(const struct session *session)
{
	return session->value ? session->value->name : "time";
}

/* Refuses to compare, for example, instructions with samples. */
static int check_values(const struct session *before,
			const struct session *after,
			const struct diff_options *options, char **why)
{
	if (!before->summary.is_imported && !after->summary.is_imported)
		return 0;
	if (strcmp(compared_measure(before), compared_measure(after)) == 0)
		return 0;
	return fail(why, -EINVAL,
		    "%s has %s, and %s has %s: these cannot be compared; "
		    "select a measure that both have by --value",
		    options->before_path, compared_measure(before),
		    options->view.path, compared_measure(after));
}

/* Writes files and the view, in this order. Returns the exit status. */
static int write_all(const char *command, struct session *before,
		     struct session *after, const struct diff *diff,
		     const struct gate *gate, struct diff_options *options)
{
	const int has_failed = gate && gate->failed > 0;
	char *why;
	int status;

	if (write_files(before, after, diff, gate, options, &why) != 0) {
		progress_clear(&options->view.progress);
		return give_up(command, why);
	}
	if (options->page && !gate && !options->is_markdown) {
		progress_clear(&options->view.progress);
		return finish_output(command);
	}
	view_begin(&options->view, before);
	write_diff(before, diff, options, gate);
	status = view_finish(&options->view, command);
	return !status && has_failed ? STATUS_FAILED : status;
}

static int judge_and_write(const char *command, struct session *before,
			   struct session *after, const struct diff *diff,
			   struct diff_options *options)
{
	struct gate gate;
	char *why;
	int status;

	if (options->text_count == 0)
		return write_all(command, before, after, diff, NULL, options);
	if (gate_init(&gate, diff, before, after, &options->view.selection,
		      options->conditions, options->text_count, &why) != 0) {
		progress_clear(&options->view.progress);
		return give_up(command, why);
	}
	status = write_all(command, before, after, diff, &gate, options);
	gate_fini(&gate);
	return status;
}

/* Compares both sessions. Returns the exit status. */
static int show(const char *command, struct session *after, void *input)
{
	struct diff_options *options = input;
	struct session *before = options->before;
	struct diff diff;
	char *why;
	int status;

	if (check_contexts(before, after, options, &why) != 0 ||
	    check_values(before, after, options, &why) != 0) {
		progress_clear(&options->view.progress);
		return give_up(command, why);
	}
	if (!options->page &&
	    !selection_has_any(&options->view.selection, &before->catalog,
			       &before->tree)) {
		status = view_check_selection(command, &options->view, after);
		if (status)
			return status;
	}
	diff_init(&diff, before, after);
	warn_of_clocks(command, &diff);
	status = judge_and_write(command, before, after, &diff, options);
	diff_fini(&diff);
	return status;
}

static int show_before(const char *command, struct session *before, void *input)
{
	struct diff_options *options = input;

	options->before = before;
	options->before_path = options->view.path;
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
	int status = view_command(&argp, argc, argv, &options.view, show_before,
				  &options);

	for (size_t i = 0; i < options.text_count; i++)
		condition_fini(&options.conditions[i]);
	free(options.conditions);
	return status;
}
