/* SPDX-License-Identifier: MIT */
/*
 * clew snapshot: a recording of what a process has done so far.
 *
 * Its part is copied as it is, which it may be at any instant; the process is
 * neither stopped nor asked for anything.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/live_process.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/recorded_line.h"
#include "report/recording/announced.h"
#include "report/recording/recording_reader.h"

static const struct argp_option argp_options[] = {
	{ "output", 'o', "PATH", 0,
	  "Write the recording there (default: " DEFAULT_RECORDING
	  "); the one that is there becomes PATH.old",
	  0 },
	{ "quiet", 'q', NULL, 0, "Say nothing but errors", 0 },
	{ 0 },
};

struct snapshot_options {
	const char *output;
	pid_t pid;
	int quiet;
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct snapshot_options *options = state->input;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case 'q':
		options->quiet = 1;
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			return ARGP_ERR_UNKNOWN;
		options->pid = parse_pid(state, argument);
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which process? Give its id");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* What was asked for when it began, for free(); or nothing. */
static char *read_config(const char *recording)
{
	char *path = memory_printf("%s/%s", recording, WIRE_CONFIG_NAME);
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	free(path);
	if (!file || getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = memory_string("", 0);
	}
	if (file)
		fclose(file);
	return text;
}

/* Its own images, and those that it was forked from: they tell of code. */
static int is_wanted(const struct recording *recording, size_t index,
		     uint32_t pid)
{
	const struct part_copy *part = &recording->parts[index];

	for (size_t i = 0; i < recording->part_count; i++) {
		const struct part_copy *of = &recording->parts[i];

		if (of->header->pid != pid)
			continue;
		for (; of; of = recording_parent(recording, of))
			if (of == part)
				return 1;
	}
	return 0;
}

static int save(const struct recording *recording, const struct part_copy *part,
		const char *directory, char **why)
{
	char *path = memory_printf("%s/%s", directory, part->name);
	int err = part_save(part, path, why);

	for (int kind = 0; kind < ANNOUNCED_COUNT && !err; kind++)
		err = announced_keep(recording, part, kind, path, why);
	free(path);
	return err;
}

static int save_parts(const struct recording *recording, uint32_t pid,
		      const char *directory, char **why)
{
	int err = 0;

	for (size_t i = 0; i < recording->part_count && !err; i++)
		if (is_wanted(recording, i, pid))
			err = save(recording, &recording->parts[i], directory,
				   why);
	return err;
}

/* The process's id where it counts itself, which may be a container. */
static int own_pid(const char *path, uint32_t *pid, char **why)
{
	struct part_copy part;
	int err = part_open(&part, path, why);

	if (err)
		return err;
	*pid = part.header->pid;
	part_close(&part);
	return 0;
}

static int snapshot(const struct snapshot_options *options,
		    const struct live_process *process, char **directory,
		    char **why)
{
	struct recording recording;
	char *config;
	uint32_t pid;
	int err;

	if (output_endangers(options->output, process->recording))
		return fail(why, -EEXIST, "%s is what it is recorded in",
			    options->output);
	err = own_pid(process->part, &pid, why);
	if (!err)
		err = recording_open(&recording, process->recording, why);
	if (err)
		return err;
	config = read_config(process->recording);
	err = output_create(options->output, config, directory, why);
	free(config);
	if (!err)
		err = save_parts(&recording, pid, *directory, why);
	recording_close(&recording);
	return err;
}

int command_snapshot(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "PID",
		.doc = "Make a recording of what a process that is being "
		       "recorded has done so far. It is not stopped.",
	};
	struct snapshot_options options = { .output = DEFAULT_RECORDING };
	struct live_process process;
	char *directory = NULL, *why;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	err = live_process_init(&process, options.pid, &why);
	if (!err) {
		err = snapshot(&options, &process, &directory, &why);
		live_process_fini(&process);
	}
	if (err) {
		complain(argv[0], "process %d: %s", options.pid, why);
		free(why);
	} else if (!options.quiet) {
		recorded_line_print(directory, options.output);
	}
	free(directory);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
