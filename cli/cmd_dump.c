/* SPDX-License-Identifier: MIT */
/* `clew dump`: prints the records of a recording. */
#include "report/dump/dump.h"

#include <argp.h>
#include <stdlib.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/help.h"
#include "cli/show/unmatched.h"
#include "report/recording/recording_reader.h"

enum { KEY_VERBOSE = 'v' };

struct dump_options {
	const char *path;
	int verbose;
};

static const struct argp_option argp_options[] = {
	{ "verbose", KEY_VERBOSE, NULL, 0,
	  "Also print the functions of each module", HELP_CONTENTS },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct dump_options *options = state->input;

	switch (key) {
	case KEY_VERBOSE:
		options->verbose = 1;
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

int command_dump(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Print the records of a recording, one per line.",
	};
	struct dump_options options = { .path = DEFAULT_RECORDING };
	struct recording recording;
	int status = EXIT_SUCCESS, err;
	char *why;

	command_line_parse(&argp, argc, argv, 0, &options);
	err = recording_open_headers(&recording, options.path, &why);
	if (err) {
		unmatched_recording(options.path, err, &why);
		return give_up(argv[0], why);
	}
	for (size_t i = 0; i < recording.part_count; i++) {
		const struct part_copy *part = recording_bring(&recording, i);

		if (part)
			dump_part(stdout, part, options.verbose);
		recording_let_go(&recording, i);
	}
	for (size_t i = 0; i < recording.problem_count; i++)
		complain(argv[0], "%s", recording.problems[i]);
	if (recording.damage)
		status = EXIT_FAILURE;
	recording_close(&recording);
	return finish_output(argv[0]) ? EXIT_FAILURE : status;
}
