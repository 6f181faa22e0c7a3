/* SPDX-License-Identifier: MIT */
/*
 * `clew probe add`, `rm` and `ls`: changes and lists the probes of a running
 * process. probe_request.h sends the requests. The process's part of the
 * recording contains its probes and their hits.
 */
#include "cli/cmd_probe_live.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/probe_request.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/options.h"
#include "cli/deputy/deputy.h"
#include "cli/probes/probe_options.h"
#include "cli/recording/recording_options.h"
#include "cli/target/live_process.h"
#include "report/view/session.h"

enum probe_verb { PROBE_ADD, PROBE_REMOVE, PROBE_LIST, PROBE_VERB_COUNT };

static const char *const verbs[PROBE_VERB_COUNT] = { "add", "rm", "ls" };

struct live_options {
	enum probe_verb verb;
	pid_t pid; /* 0 if the first word is the pid. */
	int is_all;
	struct probe_options words; /* Locations, or names of probes. */
};

static const struct argp_option argp_options[] = {
	LIVE_PROBE_OPTIONS,
	{ 0 },
};

static int is_verb(const char *word)
{
	for (int i = 0; i < PROBE_VERB_COUNT; i++)
		if (strcmp(word, verbs[i]) == 0)
			return 1;
	return 0;
}

int is_live_probe_command(int argc, char **argv)
{
	int at = 1;

	if (argc > at && strncmp(argv[at], "--pid=", 6) == 0)
		at++;
	else if (argc > at && strncmp(argv[at], "-p", 2) == 0)
		at += argv[at][2] ? 1 : 2;
	else if (argc > at && strcmp(argv[at], "--pid") == 0)
		at += 2;
	return argc > at && is_verb(argv[at]);
}

static void take_word(struct live_options *options, const char *word,
		      struct argp_state *state)
{
	if (state->arg_num == 0) {
		while (strcmp(verbs[options->verb], word) != 0)
			options->verb++;
		return;
	}
	if (!options->pid) {
		options->pid = parse_pid(state, word);
		return;
	}
	if (options->verb == PROBE_LIST)
		complain_of_usage(state, "%s: ls takes no argument but the PID",
				  word);
	if (probe_options_add(&options->words, word) != 0)
		argp_error(state, "more than %d places or names are given",
			   PROBE_OPTIONS_MAX);
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct live_options *options = state->input;

	switch (key) {
	case LIVE_PROBE_PID:
		options->pid = parse_pid(state, argument);
		return 0;
	case LIVE_PROBE_ACTION:
		return probe_options_parse(&options->words, KEY_ACTION,
					   argument, state);
	case LIVE_PROBE_HANDLER:
		return probe_options_parse(&options->words, KEY_HANDLER,
					   argument, state);
	case LIVE_PROBE_ALL:
		options->is_all = 1;
		return 0;
	case ARGP_KEY_ARG:
		take_word(options, argument, state);
		return 0;
	case ARGP_KEY_END:
		if (!options->pid)
			argp_error(state, "no process is given; give its PID");
		if (options->is_all && options->verb != PROBE_REMOVE)
			argp_error(state, "--all needs rm");
		if (options->verb == PROBE_ADD && !options->words.count)
			argp_error(state, "no place is given; write FUNCTION, "
					  "for example");
		if (options->verb != PROBE_ADD && options->words.action_count)
			argp_error(state, "--action and --handler need add");
		if (options->verb == PROBE_REMOVE &&
		    !options->words.count == !options->is_all)
			argp_error(state, "no probe is given, or --all and a "
					  "probe; write p1 or "
					  "--all");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Listing ---- */

/*
 * Prints a line about a probe: its name, its hits, how it is reached, the
 * number of its locations, and its text; if it is set nowhere, also why.
 */
static void print_probe(const struct session *session,
			const struct listed_probe *probe)
{
	const struct value_sum *hits =
		value_list_find(&session->values, probe->name);
	const char *way = "";
	unsigned int ways = 0;

	for (unsigned int i = PROBE_BY_NONE + 1; i < PROBE_TIER_COUNT; i++)
		if (probe->by_tier[i]) {
			way = probe_tier_text(i);
			ways++;
		}
	printf("%-4s  %15s  %-8s  %6zu  %s%s%s\n", probe->name,
	       text_grouped(hits ? (uint64_t)hits->total : 0).text,
	       probe->is_removed ? "removed"
	       : ways > 1        ? "several"
	       : ways            ? way
				 : "none",
	       probe->place_count, probe->text, ways ? "" : ": ",
	       ways ? "" : listed_probe_reason(probe));
}

static int is_named(const struct live_options *options,
		    const struct wire_live_probes *probes, const char *name)
{
	const unsigned int number = (unsigned int)strtoul(name + 1, NULL, 10);

	if (options->verb == PROBE_LIST)
		return 1;
	for (uint32_t i = 0; i < probes->answer_count; i++)
		if (!probes->answers[i].result &&
		    probes->answers[i].number + 1 == number)
			return 1;
	return 0;
}

/* Prints all probes, or those that were changed. */
static int print_probes(const struct live_options *options,
			const struct live_process *process,
			const struct wire_live_probes *probes, char **why)
{
	static const struct whose everybody = { .without_time = 1 };
	struct session session;
	const int err = session_open(&session, process->part, &everybody, why);
	int is_first = 1;

	if (err)
		return err;
	for (size_t i = 0; i < session.probes.count; i++) {
		const struct listed_probe *probe = &session.probes.items[i];

		if (!is_named(options, probes, probe->name))
			continue;
		if (is_first)
			printf("%-4s  %15s  %-8s  %6s  %s\n", "NAME", "HITS",
			       "WAY", "PLACES", "PROBE");
		is_first = 0;
		print_probe(&session, probe);
	}
	session_close(&session);
	return 0;
}

/* ---- Requests, and the whole command ---- */

static char *append(char *lines, unsigned long number)
{
	char *more = memory_printf("%sremove %lu\n", lines, number);

	free(lines);
	return more;
}

static char *names_as_lines(const struct live_options *options, char **why)
{
	char *lines = memory_string("", 0);

	for (unsigned long i = 0; options->is_all && i < WIRE_PROBES_MAX; i++)
		lines = append(lines, i);
	for (size_t i = 0; i < options->words.count; i++) {
		const char *name = options->words.texts[i];
		char *end = NULL;
		const unsigned long number =
			*name == 'p' ? strtoul(name + 1, &end, 10) : 0;

		if (!number || number > WIRE_PROBES_MAX || *end) {
			fail(why, -EINVAL,
			     "%s: not the name of a probe; write p1, for "
			     "example",
			     name);
			free(lines);
			return NULL;
		}
		lines = append(lines, number - 1);
	}
	return lines;
}

/*
 * Reports failures. Returns their number. With --all, probes that do not exist
 * are no failures.
 */
static int print_refused(const struct live_options *options,
			 const struct wire_live_probes *probes)
{
	int refused = 0;

	for (uint32_t i = 0; i < probes->answer_count; i++) {
		char *text = probe_answer_text(&probes->answers[i]);

		if (text && !(options->is_all &&
			      probes->answers[i].result == -ENOENT)) {
			if (options->is_all)
				complain("clew probe", "p%u: %s", i + 1, text);
			else
				complain("clew probe", "%s: %s",
					 options->words.texts[i], text);
			refused++;
		}
		free(text);
	}
	return refused;
}

static int change(const struct live_options *options,
		  struct wire_live_probes *probes, char **why)
{
	char *lines = options->verb == PROBE_ADD
			      ? probe_options_lines(&options->words,
						    options->pid, why)
			      : names_as_lines(options, why);
	int err;

	if (!lines)
		return -EINVAL;
	err = probe_request_process(options->pid, lines, probes, why);
	free(lines);
	return err;
}

int command_probe_live(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "add|rm|ls [PID] [PLACE|NAME...]",
		.doc = "Add, remove or list the probes of a process that is "
		       "being recorded.",
	};
	struct live_options options = { 0 };
	struct wire_live_probes probes = { 0 };
	struct live_process process;
	char *why = NULL;
	int refused = 0, err;

	command_line_parse(&argp, argc, argv, ARGP_IN_ORDER, &options);
	if (deputy_is_useful(options.pid))
		return deputy_run(options.pid, argc, argv, 1);
	err = live_process_init(&process, options.pid, &why);
	if (!err) {
		if (options.verb != PROBE_LIST)
			err = change(&options, &probes, &why);
		if (!err)
			err = print_probes(&options, &process, &probes, &why);
		live_process_fini(&process);
	}
	if (err) {
		complain(argv[0], "process %d: %s", options.pid, why);
		free(why);
		return EXIT_FAILURE;
	}
	refused = print_refused(&options, &probes);
	err = finish_output(argv[0]);
	return refused ? EXIT_FAILURE : err;
}
