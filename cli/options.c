/* SPDX-License-Identifier: MIT */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"

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
};

static const struct argp_option argp_options[] = {
	{ "module", KEY_MODULE, "GLOB", 0,
	  "Show only functions of modules that match", 10 },
	{ "function", KEY_FUNCTION, "REGEX", 0,
	  "Show only functions whose names match", 10 },
	{ "thread", KEY_THREAD, "TID|NAME", 0, "Count only these threads", 10 },
	{ "process", KEY_PROCESS, "PID", 0, "Count only this process", 10 },
	{ "lines", KEY_LINES, NULL, 0,
	  "Show the file and line of each function, where they are known, and "
	  "Java methods that call natives by the lines of the calls",
	  10 },
	{ "inlines", KEY_INLINES, NULL, 0,
	  "Show the functions that compilers inlined", 10 },
	{ "metric", KEY_METRIC, "calls|time", 0,
	  "Show and order by calls, or by time (default, if there is any)",
	  10 },
	{ "self-cost", KEY_SELF_COST, NULL, 0,
	  "Show what clew itself cost, too", 10 },
	{ "quiet", KEY_QUIET, NULL, 0,
	  "Show nothing but the table, and no progress", 10 },
	{ "json", KEY_JSON, NULL, 0, "Write JSON", 10 },
	{ 0 },
};

pid_t parse_pid(struct argp_state *state, const char *text)
{
	char *end;
	const long pid = strtol(text, &end, 10);

	if (end == text || *end || pid <= 0 || pid > INT32_MAX)
		complain_of_usage(state, "%s: not the id of a process", text);
	return (pid_t)pid;
}

error_t parse_process(int key, char *argument, struct argp_state *state,
		      pid_t *pid)
{
	switch (key) {
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			return ARGP_ERR_UNKNOWN;
		*pid = parse_pid(state, argument);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which process? Give its id");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

uint64_t parse_number(struct argp_state *state, const char *option,
		      const char *text, uint64_t most)
{
	char *end;
	unsigned long long number;

	errno = 0;
	number = strtoull(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || errno || number > most)
		complain_of_usage(state, "%s: not a number that --%s takes",
				  text, option);
	return number;
}

void refuse_word(struct argp_state *state, const char *option, const char *word,
		 const char *const *known, size_t count)
{
	char *list = NULL;
	size_t length;
	FILE *out = open_memstream(&list, &length);

	for (size_t i = 0; out && i < count; i++)
		fprintf(out, "%s%s", i == 0 ? "" : ", ", known[i]);
	if (out)
		fclose(out);
	complain_of_usage(state, "--%s %s: not one of %s", option, word,
			  list ? list : "those in --help");
	free(list);
}

enum grouping parse_grouping(struct argp_state *state, const char *text)
{
	if (strcmp(text, "process") == 0)
		return GROUP_PROCESS;
	if (strcmp(text, "thread") != 0)
		complain_of_usage(
			state, "--group %s: neither process nor thread", text);
	return GROUP_THREAD;
}

double parse_percent(struct argp_state *state, const char *text)
{
	char *end;
	double percent = strtod(text, &end);

	if (end == text || *end || !(percent >= 0 && percent <= 100))
		complain_of_usage(state, "--threshold %s: not a percentage",
				  text);
	return percent;
}

void parse_regex(struct argp_state *state, const char *option, const char *text,
		 regex_t *regex)
{
	const int err = regcomp(regex, text, REG_EXTENDED | REG_NOSUB);
	char why[128];

	if (err) {
		regerror(err, regex, why, sizeof(why));
		complain_of_usage(state, "--%s %s: %s", option, text, why);
	}
}

static void set_function(struct view_options *options, const char *text,
			 struct argp_state *state)
{
	if (options->selection.function)
		argp_error(state, "--function can be given only once");
	parse_regex(state, "function", text, &options->regex);
	options->selection.function = &options->regex;
}

static int parse_metric(struct argp_state *state, const char *text)
{
	if (strcmp(text, "calls") == 0)
		return METRIC_CALLS;
	if (strcmp(text, "time") != 0)
		complain_of_usage(state, "--metric %s: neither calls nor time",
				  text);
	return METRIC_TIME;
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
		set_function(options, argument, state);
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
	case KEY_JSON:
		options->writer = &writer_json;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one recording at a time");
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
		argp_error(state, "--value: values are of processes, and known "
				  "of no thread");
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
