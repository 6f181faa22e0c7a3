/* SPDX-License-Identifier: MIT */
/* `clew trace`: shows the calls of a trace. */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/known_words.h"
#include "cli/common/options.h"
#include "cli/common/trace_options.h"
#include "cli/show/unmatched.h"
#include "report/trace/merged_lines.h"
#include "report/view/finder.h"
#include "report/view/selection.h"
#include "report/view/session.h"
#include "report/write/trace_calls.h"
#include "report/write/trace_lines.h"

enum {
	KEY_DEPTH = 'd',
	KEY_MODULE = 'm',
	KEY_FUNCTION = 'f',
	KEY_QUIET = 'q',
	KEY_MIN_DURATION = 't',
	KEY_THREAD = 0x100,
	KEY_PROCESS,
	KEY_JSON,
	KEY_COLUMNS,
	KEY_SLOWEST,
	KEY_TREE,
	KEY_HISTOGRAM,
	KEY_LATENCIES,
	KEY_AGAINST,
	KEY_FULL_NAMES,
	KEY_TOP = 'n',
	DEFAULT_COLUMN = 8,
	DEFAULT_TOP = 20,
	TOP_MAX = 1000000,
};

struct trace_options {
	const char *path;
	struct whose whose;
	struct selection selection;
	regex_t regex;
	struct call_filter filter;
	struct window_options window;
	struct terminal terminal;
	uint32_t column;
	int is_json, is_quiet, has_latencies, shows_full_names;
	unsigned int width;              /* Columns of a line; 0: unlimited. */
	const char *slowest, *histogram; /* A function, or NULL. */
	size_t top;
	uint32_t levels;
	int compares;   /* Compare the slowest call with another one. */
	size_t against; /* Rank of that call; 0: median; SIZE_MAX: fastest. */
};

/* Open while the command runs. */
struct opened {
	struct recording recording;
	struct catalog catalog;
	struct traces traces;
	struct trace_window window;
};

static const struct argp_option argp_options[] = {
	{ "slowest", KEY_SLOWEST, "FN", HELP_FIRST,
	  "Show the slowest calls of a function", HELP_VIEWS },
	{ "against", KEY_AGAINST, "median|fastest|RANK", HELP_FIRST,
	  "Compare the slowest call with this one, by context", HELP_VIEWS },
	{ "top", KEY_TOP, "N", 0,
	  "Show N calls or functions (default: 20; 0: all)", HELP_VIEWS },
	{ "tree", KEY_TREE, "N", 0,
	  "Show N levels below each call of --slowest", HELP_VIEWS },
	{ "histogram", KEY_HISTOGRAM, "FN", 0,
	  "Show how long the calls of a function took", HELP_VIEWS },
	{ "latencies", KEY_LATENCIES, NULL, HELP_FIRST,
	  "Show how long the calls of each function took", HELP_VIEWS },
	{ "depth", KEY_DEPTH, "N", HELP_FIRST,
	  "Show N levels (default and 0: all)", HELP_FILTERS },
	{ "min-duration", KEY_MIN_DURATION, "TIME", HELP_FIRST,
	  "Hide calls shorter than TIME, such as 10us", HELP_FILTERS },
	ROW_MODULE(KEY_MODULE),
	ROW_FUNCTION(KEY_FUNCTION),
	{ "thread", KEY_THREAD, "TID|NAME", HELP_FIRST,
	  "Show only calls of this thread", HELP_FILTERS },
	{ "process", KEY_PROCESS, "PID", 0, "Show only calls of this process",
	  HELP_FILTERS },
	{ "columns", KEY_COLUMNS, "N", OPTION_ARG_OPTIONAL,
	  "Indent each thread by N more columns (default: 8)", HELP_CONTENTS },
	ROW_FULL_NAMES(KEY_FULL_NAMES),
	{ "quiet", KEY_QUIET, NULL, 0, "Print only the calls", HELP_CONTENTS },
	{ "json", KEY_JSON, NULL, 0, "Write JSON, one object per line",
	  HELP_CONTENTS },
	{ 0 },
};

static size_t parse_rank(const char *text, struct argp_state *state)
{
	static const char *const known[] = { "median", "fastest", "RANK" };

	if (isdigit((unsigned char)*text))
		return parse_number(state, "against", text, UINT32_MAX);
	if (known_words_find(text, known, 2) == 2)
		refuse_word(state, "against", text, known, 3);
	return *text == 'm' ? 0 : SIZE_MAX;
}

/* Rejects options that belong to another view. */
static void check(const struct trace_options *options, struct argp_state *state)
{
	const int has_function = options->slowest || options->histogram;
	const int chooses_lines = options->filter.depth ||
				  options->filter.least_ns || options->column;

	if (!!options->slowest + !!options->histogram + options->has_latencies >
	    1)
		argp_error(
			state,
			"--slowest, --histogram and --latencies exclude each "
			"other");
	if (options->has_latencies && chooses_lines)
		argp_error(state,
			   "--latencies excludes --depth, --min-duration and "
			   "--columns");
	if (has_function &&
	    (chooses_lines || selection_is_asked(&options->selection)))
		argp_error(state, "--slowest and --histogram exclude --module, "
				  "--function, "
				  "--depth, --min-duration and --columns");
	if (!options->slowest && options->levels)
		argp_error(state, "--tree needs --slowest");
	if (!options->slowest && !options->has_latencies &&
	    options->top != DEFAULT_TOP)
		argp_error(state, "--top needs --slowest or --latencies");
	if (options->compares &&
	    (!options->slowest || options->top != DEFAULT_TOP))
		argp_error(state,
			   "--against needs --slowest and excludes --top");
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct trace_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->window;
		state->child_inputs[1] = &options->terminal;
		return 0;
	case KEY_DEPTH:
		options->filter.depth = (uint32_t)parse_number(
			state, "depth", argument, UINT32_MAX);
		return 0;
	case KEY_MIN_DURATION:
		options->filter.least_ns =
			parse_time_option(state, "min-duration", argument);
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
	case KEY_COLUMNS:
		options->column =
			argument ? (uint32_t)parse_number(state, "columns",
							  argument, 1000)
				 : DEFAULT_COLUMN;
		return 0;
	case KEY_SLOWEST:
		options->slowest = argument;
		return 0;
	case KEY_AGAINST:
		options->compares = 1;
		options->against = parse_rank(argument, state);
		return 0;
	case KEY_HISTOGRAM:
		options->histogram = argument;
		return 0;
	case KEY_LATENCIES:
		options->has_latencies = 1;
		return 0;
	case KEY_TOP:
		options->top = parse_number(state, "top", argument, TOP_MAX);
		return 0;
	case KEY_TREE:
		options->levels = (uint32_t)parse_number(state, "tree",
							 argument, UINT32_MAX);
		return 0;
	case ARGP_KEY_END:
		check(options, state);
		return 0;
	case KEY_QUIET:
		options->is_quiet = 1;
		return 0;
	case KEY_FULL_NAMES:
		options->shows_full_names = 1;
		return 0;
	case KEY_JSON:
		options->is_json = 1;
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

/* ---- Output, and choosing its functions ---- */

static struct trace_output output_of(const struct opened *opened,
				     const struct trace_options *options,
				     int has_color)
{
	return (struct trace_output){
		.out = stdout,
		.traces = &opened->traces,
		.has_color = has_color,
		.width = options->width,
		.names.are_full = options->shows_full_names,
	};
}

/* Returns whether options besides --module and --function hide calls. */
static int has_other_filter(const struct trace_options *options)
{
	return options->whose.thread || options->whose.pid ||
	       options->filter.depth || options->filter.least_ns ||
	       window_is_asked(&options->window);
}

/* Returns whether options hide calls, so that possibly no call is left. */
static int has_filter(const struct trace_options *options)
{
	return selection_is_asked(&options->selection) ||
	       has_other_filter(options);
}

/*
 * Writes the lines of calls. Returns 0, or -ENODATA if the options leave no
 * call.
 */
static int write_lines(struct opened *opened,
		       const struct trace_options *options, int has_color)
{
	struct trace_output output = output_of(opened, options, has_color);
	const int is_plain = options->is_json || options->is_quiet;
	struct merged_lines merged;
	struct call_line line;
	int has_line;

	output.column = options->column;
	merged_lines_init(&merged, &opened->traces, &options->filter,
			  &opened->window);
	has_line = merged_lines_next(&merged, &line);
	if (!has_line && has_filter(options)) {
		merged_lines_fini(&merged);
		return -ENODATA;
	}
	if (!is_plain)
		text_trace_heading(&output);
	while (has_line && !ferror(stdout)) {
		trace_output_count(&output, &line);
		if (options->is_json)
			json_trace_line(&output, &line);
		else
			text_trace_line(&output, &line);
		has_line = merged_lines_next(&merged, &line);
	}
	merged_lines_fini(&merged);
	if (!is_plain)
		text_trace_summary(&output);
	trace_output_fini(&output);
	return output.calls || !has_filter(options) ? 0 : -ENODATA;
}

/* Writes where the slowest call spent its time, if its beginning is known. */
static void write_main_path(struct opened *opened,
			    const struct trace_options *options,
			    const uint8_t *chosen, struct trace_output *output)
{
	struct compared_calls compared;

	if (compared_calls_find(&compared, &opened->traces, &opened->window,
				chosen, 0) != 0)
		return;
	compared_calls_read(&compared, &opened->traces, 0);
	if (options->is_json)
		json_main_path(output, &compared);
	else
		text_main_path(output, &compared);
	compared_calls_fini(&compared);
}

/*
 * Writes the slowest calls of a function: options->top calls, or TOP_MAX if
 * that is 0. Returns 0, or -ENODATA if there is no call.
 */
static int write_slowest(struct opened *opened,
			 const struct trace_options *options,
			 const uint8_t *chosen, int has_color)
{
	struct trace_output output = output_of(opened, options, has_color);
	struct slow_calls slow;
	int err = 0;

	slow_calls_find(&slow, &opened->traces, &opened->window, chosen,
			options->top ? options->top : TOP_MAX);
	if (!slow.count)
		err = -ENODATA;
	else if (options->is_json)
		json_slow_calls(&output, &slow, options->levels);
	else
		text_slow_calls(&output, &slow, options->levels);
	if (!err)
		write_main_path(opened, options, chosen, &output);
	free(slow.items);
	trace_output_fini(&output);
	return err;
}

/*
 * Writes the comparison of two calls of a function. Returns 0, or -ENOENT if
 * there are fewer than two calls.
 */
static int write_compared(struct opened *opened,
			  const struct trace_options *options,
			  const uint8_t *chosen, int has_color)
{
	struct trace_output output = output_of(opened, options, has_color);
	struct compared_calls compared;
	int err =
		compared_calls_find(&compared, &opened->traces, &opened->window,
				    chosen, options->against);

	if (!err && compared.is_alone)
		err = -ENOENT;
	if (err)
		return err;
	compared_calls_read(&compared, &opened->traces, options->levels);
	if (options->is_json)
		json_compared_calls(&output, &compared);
	else
		text_compared_calls(&output, &compared);
	compared_calls_fini(&compared);
	trace_output_fini(&output);
	return 0;
}

/* Data of --histogram, and the number of calls. */
struct histogram {
	struct call_latencies latencies;
	uint64_t calls;
};

static void add_latency(void *context, const struct function_call *call)
{
	struct histogram *histogram = context;

	call_latencies_add(&histogram->latencies, call);
	histogram->calls++;
}

/*
 * Writes the durations of a function's calls. Returns 0, or -ENODATA if no call
 * of the function is left.
 */
static int write_histogram(struct opened *opened,
			   const struct trace_options *options,
			   const uint8_t *chosen, int has_color)
{
	struct trace_output output = output_of(opened, options, has_color);
	struct histogram *histogram = memory_zeroed(1, sizeof(*histogram));
	int err = 0;

	histogram->latencies.name = options->histogram;
	function_calls_each(&opened->traces, &opened->window, chosen,
			    add_latency, histogram);
	if (!histogram->calls)
		err = -ENODATA;
	else if (options->is_json)
		json_latencies(&output, &histogram->latencies);
	else
		text_latencies(&output, &histogram->latencies);
	free(histogram);
	return err;
}

/*
 * Returns 0; -ENODATA if no call of the function is left; or -ENOENT if it has
 * no two calls to compare.
 */
static int write_function(struct opened *opened,
			  const struct trace_options *options,
			  const uint8_t *chosen, int has_color)
{
	if (options->compares)
		return write_compared(opened, options, chosen, has_color);
	if (options->slowest)
		return write_slowest(opened, options, chosen, has_color);
	return write_histogram(opened, options, chosen, has_color);
}

/*
 * Returns a mask of the functions among `chosen` that the trace has calls of.
 */
static uint8_t *called_among(const struct opened *opened, const uint8_t *chosen)
{
	uint8_t *called = memory_zeroed(opened->catalog.function_count + 1, 1);
	struct function_latencies all;

	function_latencies_find(&all, &opened->traces, &opened->window, chosen);
	for (size_t i = 0; i < all.count; i++)
		called[all.sorted[i]->function] = 1;
	function_latencies_fini(&all);
	return called;
}

/*
 * Finds the function that the user names. If several functions match, only
 * functions that were called are considered. Stores a mask in *chosen, which
 * the caller frees, and returns 0. If no function matches, or still several,
 * prints a message and returns the exit status.
 */
static int find_function(const char *command, struct opened *opened,
			 const char *function, uint8_t **chosen)
{
	uint8_t *called = NULL;
	struct found_functions found;
	int err = finder_find(&opened->catalog, NULL, function, &found);
	int status = EXIT_SUCCESS;

	if (err == -ENOTUNIQ) {
		called = called_among(opened, found.chosen);
		if (memchr(called, 1, opened->catalog.function_count)) {
			found_fini(&found);
			err = finder_find(&opened->catalog, called, function,
					  &found);
		} else {
			free(called);
			called = NULL;
		}
	}
	if (err == -ESRCH) {
		free(called);
		return unmatched_function(command, function, &opened->catalog);
	}
	if (err)
		status = unmatched_several(command, function, &opened->catalog,
					   called, &found);
	else
		*chosen =
			memcpy(memory_zeroed(opened->catalog.function_count, 1),
			       found.chosen, opened->catalog.function_count);
	found_fini(&found);
	free(called);
	return status;
}

/*
 * Writes the durations of the calls of all functions. Returns 0, or -ENODATA if
 * the options leave no function.
 */
static int write_latencies(struct opened *opened,
			   const struct trace_options *options, int has_color)
{
	struct trace_output output = output_of(opened, options, has_color);
	uint8_t *chosen = selection_mask(&options->selection, &opened->catalog);
	struct function_latencies all;
	int err = 0;

	function_latencies_find(&all, &opened->traces, &opened->window, chosen);
	if (!all.count && has_filter(options))
		err = -ENODATA;
	else if (options->is_json)
		json_all_latencies(&output, &all, options->top);
	else
		text_all_latencies(&output, &all, options->top);
	function_latencies_fini(&all);
	trace_output_fini(&output);
	free(chosen);
	return err;
}

/*
 * Writes what the options request. Returns 0, or -ENODATA if the options leave
 * nothing to show.
 */
static int write_selected(struct opened *opened, struct trace_options *options,
			  int has_color)
{
	uint8_t *mask = NULL;
	int err;

	if (options->has_latencies)
		return write_latencies(opened, options, has_color);
	if (selection_is_asked(&options->selection))
		mask = selection_mask(&options->selection, &opened->catalog);
	options->filter.keep = mask;
	err = mask && !memchr(mask, 1, opened->catalog.function_count)
		      ? -ENODATA
		      : write_lines(opened, options, has_color);
	free(mask);
	return err;
}

static void complain_of(const char *command, const struct recording *recording)
{
	const struct packet_waits *waits = &recording->waits;

	for (size_t i = 0; i < recording->problem_count; i++)
		complain(command, "%s", recording->problems[i]);
	if (waits->count > 0)
		complain(command,
			 "threads waited %s time%s, %s in total, until packets "
			 "were counted",
			 text_grouped(waits->count).text,
			 text_plural(waits->count),
			 text_duration(waits->ns).text);
}

/*
 * Prints that the trace has no call to show, because of the filters or at all.
 * Returns the exit status of failure.
 */
static int complain_of_no_call(const char *command, struct opened *opened,
			       const struct trace_options *options,
			       const char *function)
{
	if (function && has_filter(options))
		complain(command,
			 "%s: no call of it in the trace matches the filters",
			 function);
	else if (function)
		complain(command, "%s: the trace contains no call of it",
			 function);
	else if (selection_is_asked(&options->selection) &&
		 !has_other_filter(options))
		unmatched_selection(command, &options->selection,
				    &opened->catalog);
	else
		complain(command, "no call of the trace matches the filters");
	return EXIT_FAILURE;
}

static void write_overwritten(const struct opened *opened,
			      const struct trace_options *options)
{
	const struct trace_output output = output_of(opened, options, 0);

	if (options->is_json)
		json_overwritten(&output);
	else if (!options->is_quiet)
		text_overwritten(&output);
}

static int show(const char *command, struct opened *opened,
		struct trace_options *options)
{
	const char *function =
		options->slowest ? options->slowest : options->histogram;
	uint8_t *chosen = NULL;
	int has_color, err, status;

	if (function &&
	    find_function(command, opened, function, &chosen) != 0) {
		complain_of(command, &opened->recording);
		return EXIT_FAILURE;
	}
	options->width = terminal_table_width(&options->terminal);
	has_color = terminal_begin(&options->terminal);
	err = function ? write_function(opened, options, chosen, has_color)
		       : write_selected(opened, options, has_color);
	write_overwritten(opened, options);
	status = terminal_finish(&options->terminal, command);
	free(chosen);

	complain_of(command, &opened->recording);
	switch (err) {
	case 0:
		return status;
	case -ENOENT:
		complain(command,
			 "%s: a comparison needs two calls, of which the "
			 "faster one has returned%s",
			 function,
			 traces_overwritten(&opened->traces)
				 ? "; the ring does not hold them: record with "
				   "a larger ring or --min-duration"
				 : "");
		return EXIT_FAILURE;
	default:
		return complain_of_no_call(command, opened, options, function);
	}
}

static int has_process(const struct recording *recording, uint32_t pid)
{
	for (size_t i = 0; i < recording->part_count; i++)
		if (!pid || recording->parts[i].header->pid == pid)
			return 1;
	return 0;
}

/* Opens the traces of a recording. Returns 0, or -errno and *why. */
static int open_traces(struct opened *opened,
		       const struct trace_options *options, char **why)
{
	char *detail;
	int err =
		recording_open_headers(&opened->recording, options->path, why);

	if (err) {
		unmatched_recording(options->path, err, why);
		return err;
	}
	if (!has_process(&opened->recording, options->whose.pid)) {
		err = session_refuse_whose(&opened->recording, options->path,
					   &options->whose, why);
		recording_close(&opened->recording);
		return err;
	}
	catalog_init(&opened->catalog);
	err = traces_open(&opened->traces, &opened->recording, &opened->catalog,
			  &options->whose, &detail);
	if (!err) {
		opened->window =
			window_of(&options->window, opened->traces.start_ns);
		return 0;
	}
	catalog_fini(&opened->catalog);
	recording_close(&opened->recording);
	fail(why, err, "%s: %s", options->path, detail);
	free(detail);
	return err;
}

static void close_traces(struct opened *opened)
{
	traces_close(&opened->traces);
	catalog_fini(&opened->catalog);
	recording_close(&opened->recording);
}

int command_trace(int argc, char **argv)
{
	const struct argp_child children[] = {
		{ .argp = &window_argp },
		{ .argp = terminal_children[0].argp },
		{ 0 },
	};
	const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Show the calls of a trace (clew record --trace), one "
		       "by one.",
		.children = children,
	};
	struct trace_options options = { .path = DEFAULT_RECORDING,
					 .top = DEFAULT_TOP };
	struct opened opened;
	int status;
	char *why;

	command_line_parse(&argp, argc, argv, 0, &options);
	if (open_traces(&opened, &options, &why) == 0) {
		status = show(argv[0], &opened, &options);
		close_traces(&opened);
	} else {
		status = give_up(argv[0], why);
	}
	if (options.selection.function)
		regfree(&options.regex);
	return status;
}
