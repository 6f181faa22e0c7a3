/* SPDX-License-Identifier: MIT */
/*
 * clew merge: the parts of several recordings in one.
 *
 * A part says which process it is of, by pid. Recordings of other runs and
 * other hosts may have the same pids, so each gets a number, which its parts'
 * names begin with: "2-PID.SEQ.part".
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/idmap.h"
#include "base/memory.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/output.h"
#include "report/recording.h"

struct options {
	const char *output;
	char **inputs;
	int count;
};

struct merge {
	const char *command;
	const char *directory;
	uint32_t runs; /* given so far */
	int failures;
};

static const struct argp_option argp_options[] = {
	{ "output", 'o', "PATH", 0,
	  "Write the recording there; the one that is there becomes PATH.old",
	  0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

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
			argp_error(state, "where to? Say -o PATH");
		if (options->count == 0)
			argp_error(state, "which recordings?");
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

/* `runs` maps the input's own run numbers + 1 to those that they get. */
static void add_part(struct merge *merge, const struct part *part,
		     struct idmap *runs)
{
	uint64_t *run = idmap_at(runs, (uint64_t)part->run + 1);
	const char *name = part->run ? strchr(part->name, '-') + 1 : part->name;
	char *path, *why;

	if (*run == 0)
		*run = ++merge->runs;
	path = memory_printf("%s/%u-%s", merge->directory, (unsigned int)*run,
			     name);
	if (part_save(part, path, &why) != 0)
		report_failure(merge, why);
	free(path);
}

static void add_recording(struct merge *merge, const char *path)
{
	struct recording recording;
	struct idmap runs = { 0 };
	char *why;

	if (recording_open(&recording, path, &why) != 0) {
		report_failure(merge, why);
		return;
	}
	for (size_t i = 0; i < recording.part_count; i++)
		add_part(merge, &recording.parts[i], &runs);
	for (size_t i = 0; i < recording.problem_count; i++)
		complain(merge->command, "%s", recording.problems[i]);
	recording_close(&recording);
	idmap_fini(&runs);
}

/* A line for each recording; what was asked for then is in none of them. */
static char *describe(const struct options *options)
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

int command_merge(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "REC...",
		.doc = "Make one recording of several, of other runs or hosts.",
	};
	struct options options = { 0 };
	struct merge merge = { .command = argv[0] };
	char *directory, *config, *why;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	config = describe(&options);
	err = output_create(options.output, config, &directory, &why);
	free(config);
	if (err)
		return give_up(argv[0], why);
	merge.directory = directory;
	for (int i = 0; i < options.count; i++)
		add_recording(&merge, options.inputs[i]);
	free(directory);
	return merge.failures ? EXIT_FAILURE : EXIT_SUCCESS;
}
