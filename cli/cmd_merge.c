/* SPDX-License-Identifier: MIT */
/*
 * `clew merge`: combines the parts of several recordings in one.
 *
 * The name of a part contains its process's pid. Recordings of other runs and
 * other hosts may have the same pids, so each recording gets a number, with
 * which the names of its parts begin: "2-PID.SEQ.part".
 */
#include <argp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/idmap.h"
#include "base/memory.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/common/output.h"
#include "cli/show/unmatched.h"
#include "report/recording/announced.h"
#include "report/recording/recorded_times.h"
#include "report/recording/recording_reader.h"
#include "report/recording/trace_reader.h"

struct merge_options {
	const char *output;
	char **inputs;
	int count;
};

struct merge {
	const char *command;
	const struct merge_options *options;
	struct output output; /* Created with the first part. */
	uint32_t runs;        /* Numbers assigned so far. */
	size_t saved;         /* Number of parts. */
	struct recorded_times times;
	int failures;
	int is_over; /* The output cannot be written. */
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "PATH", 0, "Where to write the recording (required)",
	  HELP_OUTPUT },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct merge_options *options = state->input;

	switch (key) {
	case 'o':
		options->output = argument;
		return 0;
	case ARGP_KEY_ARGS:
		options->inputs = state->argv + state->next;
		options->count = state->argc - state->next;
		return 0;
	case ARGP_KEY_END:
		if (!options->output)
			argp_error(state, "--output is missing; write -o PATH");
		if (options->count == 0)
			argp_error(state, "no recording is given");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static void report_failure(struct merge *merge, char *why)
{
	complain(merge->command, "%s", why);
	free(why);
	merge->failures++;
}

/*
 * Returns the configuration: one line for each recording. The original
 * configurations are not included.
 */
static char *describe(const struct merge_options *options)
{
	char *text = memory_printf("# merged by clew " CLEW_VERSION " from\n");

	for (int i = 0; i < options->count; i++) {
		char *input = memory_string(options->inputs[i],
					    strlen(options->inputs[i]));
		char *longer =
			memory_printf("%s# %s\n", text, text_printable(input));

		free(input);
		free(text);
		text = longer;
	}
	return text;
}

static void make_directory(struct merge *merge)
{
	char *config = describe(merge->options), *why;

	if (output_create(&merge->output, merge->options->output, config,
			  &why) != 0) {
		report_failure(merge, why);
		merge->is_over = 1;
	}
	free(config);
}

/* Adds a part. `runs` maps the input's own run numbers + 1 to the new ones. */
static void add_part(struct merge *merge, const struct recording *recording,
		     const struct part_copy *part, struct idmap *runs)
{
	uint64_t *run = idmap_at(runs, (uint64_t)part->run + 1);
	const char *name = part->run ? strchr(part->name, '-') + 1 : part->name;
	char *path, *why;
	int err;

	if (!merge->output.directory)
		make_directory(merge);
	if (merge->is_over)
		return;
	if (*run == 0)
		*run = ++merge->runs;
	path = memory_printf("%s/%u-%s", merge->output.directory,
			     (unsigned int)*run, name);
	err = part->is_packed ? part_save_packed(part, path, &why)
			      : part_save(part, path, &why);
	if (err)
		report_failure(merge, why);
	else
		merge->saved++;
	recorded_times_add(&merge->times, part);
	for (int kind = 0; kind < ANNOUNCED_COUNT; kind++)
		if (announced_keep(recording, part, kind, path, &why) != 0)
			report_failure(merge, why);
	if (trace_keep(part->path, path, &why) != 0)
		report_failure(merge, why);
	free(path);
}

static void add_recording(struct merge *merge, const char *path)
{
	struct recording recording;
	struct idmap runs = { 0 };
	char *why;
	int err;

	err = recording_open_headers(&recording, path, &why);
	if (err) {
		unmatched_recording(path, err, &why);
		report_failure(merge, why);
		return;
	}
	for (size_t i = 0; i < recording.part_count && !merge->is_over; i++) {
		const struct part_copy *part = recording_bring(&recording, i);

		if (part)
			add_part(merge, &recording, part, &runs);
		recording_let_go(&recording, i);
	}
	for (size_t i = 0; i < recording.problem_count; i++)
		complain(merge->command, "%s", recording.problems[i]);
	recording_close(&recording);
	idmap_fini(&runs);
}

/*
 * Returns whether writing the output would move or remove an input, after an
 * error message.
 */
static int endangers_inputs(const char *command,
			    const struct merge_options *options)
{
	for (int i = 0; i < options->count; i++) {
		if (!output_endangers(options->output, options->inputs[i]))
			continue;
		complain(command,
			 "%s: -o %s would replace this input; choose another "
			 "output",
			 options->inputs[i], options->output);
		return 1;
	}
	return 0;
}

/*
 * Keeps the output if it contains a part; otherwise restores the earlier one.
 */
static void end_output(struct merge *merge)
{
	char *why;

	if (!merge->output.directory)
		return;
	if (!merge->saved)
		output_undo(&merge->output);
	else if (output_keep(&merge->output, &why) != 0)
		report_failure(merge, why);
	why = merge->saved ? recorded_times_text(&merge->times) : NULL;
	if (why)
		complain(merge->command, "%s: %s", merge->options->output, why);
	free(why);
	output_fini(&merge->output);
}

int command_merge(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "REC...",
		.doc = "Combine recordings of several runs or hosts into one.",
	};
	struct merge_options options = { 0 };
	struct merge merge = { .command = argv[0], .options = &options };

	command_line_parse(&argp, argc, argv, 0, &options);
	if (endangers_inputs(argv[0], &options))
		return EXIT_FAILURE;
	/* A limit on file sizes then causes a write error. */
	signal(SIGXFSZ, SIG_IGN);
	for (int i = 0; i < options.count && !merge.is_over; i++)
		add_recording(&merge, options.inputs[i]);
	end_output(&merge);
	return merge.failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
