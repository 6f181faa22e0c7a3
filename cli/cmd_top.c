/* SPDX-License-Identifier: MIT */
/*
 * `clew top`: shows the present calls of processes, on a screen or as a stream
 * of tables.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/option_values.h"
#include "cli/common/options.h"
#include "cli/deputy/deputy.h"
#include "cli/show/top_screen.h"
#include "cli/show/top_table.h"
#include "cli/show/top_target.h"
#include "cli/target/ending_signals.h"

enum { DEFAULT_ROWS = 20 };

enum { KEY_BY = 0x100, KEY_TOP, KEY_FULL_NAMES };

static const struct argp_option argp_options[] = {
	TARGET_CHOICE(HELP_FIRST, HELP_FIRST),
	{ "delay", 'd', "SECONDS", HELP_FIRST,
	  "Time between updates (default: 1; longer if they are costly)",
	  HELP_VIEWS },
	{ "by", KEY_BY, "function|context|module|thread", HELP_FIRST,
	  "What a row is (default: function)", HELP_VIEWS },
	{ "sort", 's', "self|total|calls|all-calls", HELP_FIRST,
	  "Sort by this column (default: self; then calls per second)",
	  HELP_VIEWS },
	{ "function", 'f', "TEXT", HELP_FIRST,
	  "Show only rows that contain TEXT", HELP_VIEWS },
	{ "top", KEY_TOP, "N", HELP_FIRST,
	  "Show N rows per table (default: 20; 0: all)", HELP_VIEWS },
	ROW_FULL_NAMES(KEY_FULL_NAMES),
	{ "batch", 'b', NULL, HELP_FIRST,
	  "Print tables one after another, without a screen", HELP_OUTPUT },
	{ "iterations", 'n', "N", HELP_FIRST, "Exit after N tables",
	  HELP_OUTPUT },
	{ "output", 'o', "PATH", HELP_FIRST,
	  "Where to write a snapshot (default: clew.out)", HELP_OUTPUT },
	{ 0 },
};

struct top_command {
	struct target_choice choice;
	char **command; /* The program to run, or NULL. */
	int is_batch;
	uint64_t iterations; /* 0: unlimited. */
	uint64_t top;
	int shows_full_names;
	struct top_view view;
};

static double parse_delay(struct argp_state *state, const char *text)
{
	char *end;
	const double seconds = strtod(text, &end);

	if (end == text || *end || !(seconds >= .01 && seconds <= 3600))
		complain_of_usage(
			state,
			"--delay=%s: not a number of seconds from 0.01 to 3600",
			text);
	return seconds;
}

static int parse_choice(struct argp_state *state, const char *option,
			const char *word, const char *(*text_of)(int),
			int count)
{
	const char *known[8];

	for (int i = 0; i < count; i++)
		known[i] = text_of(i);
	return (int)parse_word(state, option, word, known, (size_t)count);
}

static const char *subject_text(int subject)
{
	return live_subject_text((enum live_subject)subject);
}

static const char *key_text(int key)
{
	return live_key_text((enum live_key)key);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct top_command *top = state->input;

	switch (key) {
	case 'd':
		top->view.delay_s = parse_delay(state, argument);
		return 0;
	case KEY_BY:
		top->view.subject = (enum live_subject)parse_choice(
			state, "by", argument, subject_text,
			LIVE_SUBJECT_COUNT);
		return 0;
	case 's':
		top->view.key = (enum live_key)parse_choice(
			state, "sort", argument, key_text, LIVE_KEY_COUNT);
		return 0;
	case 'f':
		snprintf(top->view.filter, sizeof(top->view.filter), "%s",
			 argument);
		return 0;
	case 'b':
		top->is_batch = 1;
		return 0;
	case 'n':
		top->iterations =
			parse_number(state, "iterations", argument, UINT32_MAX);
		return 0;
	case KEY_TOP:
		top->top = parse_number(state, "top", argument, UINT32_MAX);
		return 0;
	case KEY_FULL_NAMES:
		top->shows_full_names = 1;
		return 0;
	case 'o':
		top->view.output = argument;
		return 0;
	case ARGP_KEY_ARG:
		/* The words after "--" are passed as ARGP_KEY_ARGS. */
		if (state->quoted)
			return ARGP_ERR_UNKNOWN;
		return target_choice_parse(&top->choice, key, argument, state);
	case ARGP_KEY_ARGS:
		/* argp has removed the "--" before a command. */
		if (strcmp(state->argv[state->next - 1], "--") == 0) {
			top->command = state->argv + state->next;
			return 0;
		}
		return ARGP_ERR_UNKNOWN;
	case ARGP_KEY_END:
		if (top->command &&
		    (top->choice.count || top->choice.has_children))
			argp_error(state, "a command excludes processes that "
					  "run already");
		return top->command ? 0
				    : target_choice_parse(&top->choice, key,
							  argument, state);
	default:
		return target_choice_parse(&top->choice, key, argument, state);
	}
}

/* ---- A stream of tables ---- */

/*
 * Prints the table, up to top->top rows. Returns the number of rows that the
 * filter leaves, including rows that are not printed.
 */
static size_t print_table(const struct top_command *top,
			  struct live_counts *counts)
{
	struct live_rows rows;
	size_t count;
	char *text;

	live_rows_init(&rows, counts, top->view.subject, top->view.key,
		       top->view.filter);
	text = top_total_text(counts);
	puts(text);
	free(text);
	text = top_heading_text(&rows);
	puts(text);
	free(text);
	for (size_t i = 0; i < rows.count && (!top->top || i < top->top); i++) {
		text = top_row_text(&rows, counts, &rows.items[i]);
		puts(text);
		free(text);
	}
	putchar('\n');
	fflush(stdout);
	count = rows.count;
	live_rows_fini(&rows);
	return count;
}

/*
 * Returns the seconds until the next table. The first table is printed on time:
 * no earlier reading had a cost.
 */
static double wait_s(const struct top_command *top,
		     const struct live_counts *counts)
{
	return counts->interval_ns ? top_delay_s(&top->view, counts)
				   : top->view.delay_s;
}

static int look(struct top_target *target, struct live_counts *counts,
		char **why)
{
	top_target_add_parts(target, counts);
	return live_counts_look(counts, why);
}

static int stream(const struct top_command *top, struct top_target *target,
		  struct live_counts *counts, int signals, char **why)
{
	size_t tables = 0, rows = 0;
	int err = look(target, counts, why);

	for (uint64_t i = 0; !err && !ferror(stdout); i++) {
		int is_last = !top_target_is_alive(target);

		if (top->iterations && i == top->iterations)
			break;
		if (!is_last &&
		    ending_signals_wait(signals,
					(int)(wait_s(top, counts) * 1000)))
			break;
		err = look(target, counts, why);
		if (!err) {
			rows += print_table(top, counts);
			tables++;
		}
		if (is_last)
			break;
	}
	if (!err && tables && !rows && *top->view.filter)
		err = fail(why, -ENODATA, "--function=%s: no row contains this",
			   top->view.filter);
	return err;
}

/* ---- The whole command ---- */

static int run(struct top_command *top, char **why)
{
	struct top_target target;
	struct live_counts counts;
	int signals = ending_signals_watch(), err;

	/* The end of stdout's reader must not prevent detaching. */
	signal(SIGPIPE, SIG_IGN);
	err = top_target_open(&target, &top->choice, top->command, why);
	if (err)
		return err;
	live_counts_init(&counts);
	counts.names.are_full = top->shows_full_names;
	err = top->is_batch ? stream(top, &target, &counts, signals, why)
			    : top_screen_run(&top->view, &target, &counts,
					     signals, why);
	live_counts_fini(&counts);
	top_target_close(&target);
	return err;
}

int command_top(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "PID...\n-- COMMAND [ARG...]",
		.doc = "Show live which functions processes call. Attaches "
		       "to a process if it is not being recorded, or "
		       "starts COMMAND.",
	};
	struct top_command top = {
		.top = DEFAULT_ROWS,
		.view = { .delay_s = 1, .output = DEFAULT_RECORDING },
	};
	char *why = NULL;
	int err;

	/* Words before "--" must not be mixed with the command. */
	command_line_parse(&argp, argc, argv, ARGP_IN_ORDER, &top);
	if (!top.is_batch && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)))
		top.is_batch = 1;
	if (top.choice.count == 1 &&
	    deputy_is_useful(top.choice.items[0].pid)) {
		err = deputy_run(top.choice.items[0].pid, argc, argv, 1);
		target_choice_fini(&top.choice);
		return err;
	}
	err = run(&top, &why);
	target_choice_fini(&top.choice);
	if (err)
		return give_up(argv[0], why);
	return top.is_batch ? finish_output(argv[0]) : EXIT_SUCCESS;
}
