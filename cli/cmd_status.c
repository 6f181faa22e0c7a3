/* SPDX-License-Identifier: MIT */
/*
 * `clew status`: shows which processes are recorded, and how fast they call.
 *
 * The command reads their parts twice, and does not involve the processes.
 */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/display_text.h"
#include "base/memory.h"
#include "base/now.h"
#include "cli/cmd_status.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/options.h"
#include "report/write/json.h"

/* Nanoseconds between the two readings. */
#define INTERVAL_NS 200000000L

enum { KEY_JSON = 0x100, KEY_METRICS };

static const struct argp_option argp_options[] = {
	ROW_JSON(KEY_JSON),
	{ "metrics", KEY_METRICS, NULL, 0,
	  "Write Prometheus' text format, with more numbers", HELP_CONTENTS },
	{ 0 },
};

struct status_options {
	pid_t pid; /* 0 for all processes. */
	int is_json, is_metrics;
	struct terminal terminal;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct status_options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &options->terminal;
		return 0;
	case KEY_JSON:
		options->is_json = 1;
		return 0;
	case KEY_METRICS:
		options->is_metrics = 1;
		return 0;
	case ARGP_KEY_END:
		if (options->is_json && options->is_metrics)
			argp_error(state, "--json and --metrics exclude each "
					  "other");
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "more than one process is given; "
					  "omit the PID to see all");
		options->pid = parse_pid(state, argument);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* ---- Reading ---- */

static void read_status(struct status *status)
{
	const uint64_t before = status->totals.calls;
	const uint64_t earlier_ns = status->read_ns;
	struct part_copy part;
	char *why;

	if (part_open(&part, status->process.part, &why) != 0) {
		free(why);
		status->is_gone = 1;
		return;
	}
	status->read_ns = now_ns(CLOCK_MONOTONIC);
	part_totals_init(&status->totals, &part);
	status->header = *part.header;
	status->bytes = part.size_bytes;
	part_close(&part);
	if (earlier_ns)
		status->calls_per_s =
			(uint64_t)((double)(status->totals.calls - before) *
				   1e9 /
				   (double)(status->read_ns - earlier_ns));
}

static void read_twice(struct status *items, size_t count)
{
	const struct timespec interval = { .tv_nsec = INTERVAL_NS };

	for (size_t i = 0; i < count; i++)
		read_status(&items[i]);
	if (count)
		nanosleep(&interval, NULL);
	for (size_t i = 0; i < count; i++)
		if (!items[i].is_gone)
			read_status(&items[i]);
}

/* ---- Output ---- */

static json_t *json_row(const struct status *status)
{
	const struct live_process *process = &status->process;
	const struct part_totals *totals = &status->totals;
	json_t *row = json_pack(
		"{sisssosososososososo}", "pid", process->pid, "state",
		process->is_attached ? "attached" : "recorded", "hooks",
		json_number(totals->hooks), "calls", json_number(totals->calls),
		"calls_per_s", json_number(status->calls_per_s), "contexts",
		json_number(totals->contexts), "folded",
		json_number(totals->folded), "lost", json_number(totals->lost),
		"recorded_bytes", json_number(status->bytes), "recording",
		json_text(process->recording));

	if (process->controller)
		json_object_set_new(row, "controller",
				    json_integer(process->controller));
	json_object_set_new(row, "command", json_text(process->command));
	return row;
}

static void print_json(const struct status *items, size_t count)
{
	struct json_stream stream = { .out = stdout }, list;
	struct json_stream whole = json_begin(&stream, NULL, "{");

	list = json_begin(&whole, "processes", "[");
	for (size_t i = 0; i < count; i++)
		if (!items[i].is_gone)
			json_member(&list, NULL, json_row(&items[i]));
	json_end(&list, "]");
	json_end(&whole, "}");
	putchar('\n');
}

/* ---- The whole command ---- */

/*
 * Finds the recorded processes that the user has chosen. Returns 0, or -errno
 * and *why.
 */
static int find(const struct status_options *options, struct status **items,
		size_t *count, char **why)
{
	struct live_process *found;

	if (options->pid) {
		*items = memory_zeroed(1, sizeof(**items));
		*count = 1;
		return live_process_init(&(*items)->process, options->pid, why);
	}
	found = live_processes(count);
	*items = memory_zeroed(*count + 1, sizeof(**items));
	for (size_t i = 0; i < *count; i++)
		(*items)[i].process = found[i];
	free(found);
	return 0;
}

static int show(struct status_options *options, const struct status *items,
		size_t count, const char *command)
{
	unsigned int room;

	if (!count && !options->is_json && !options->is_metrics) {
		complain(command, "no process is being recorded (of those that "
				  "this user can inspect)");
		return EXIT_SUCCESS;
	}
	room = terminal_table_width(&options->terminal);
	terminal_begin(&options->terminal);
	if (options->is_json)
		print_json(items, count);
	else if (options->is_metrics)
		status_print_metrics(stdout, items, count);
	else
		status_print_table(stdout, items, count, room);
	return terminal_finish(&options->terminal, command);
}

int command_status(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.children = terminal_children,
		.parser = parse,
		.args_doc = "[PID]",
		.doc = "Show which processes are being recorded, with their "
		       "number of calls.",
	};
	struct status_options options = { 0 };
	struct status *items;
	size_t count;
	char *why;
	int status;

	command_line_parse(&argp, argc, argv, 0, &options);
	if (find(&options, &items, &count, &why) != 0) {
		complain(argv[0], "process %d: %s", options.pid, why);
		free(why);
		free(items);
		return EXIT_FAILURE;
	}
	read_twice(items, count);
	status = show(&options, items, count, argv[0]);
	for (size_t i = 0; i < count; i++)
		live_process_fini(&items[i].process);
	free(items);
	return status;
}
