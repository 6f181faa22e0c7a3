/* SPDX-License-Identifier: MIT */
/* `clew snapshot`: copies the recording of a running process. */
#include <argp.h>
#include <stdlib.h>

#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/options.h"
#include "cli/deputy/deputy.h"
#include "cli/recording/recorded_line.h"
#include "cli/target/live_process.h"
#include "cli/target/snapshot.h"

static const struct argp_option argp_options[] = {
	ROW_OUTPUT(0),
	ROW_QUIET,
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
	default:
		return parse_process(key, argument, state, &options->pid);
	}
}

int command_snapshot(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "PID",
		.doc = "Save what has been recorded of a process so far as a "
		       "recording of its own. The process is not stopped.",
	};
	struct snapshot_options options = { .output = DEFAULT_RECORDING };
	struct live_process process;
	char *directory = NULL, *why;
	int err;

	command_line_parse(&argp, argc, argv, 0, &options);
	if (deputy_is_useful(options.pid))
		return deputy_run(options.pid, argc, argv, options.quiet);
	err = live_process_init(&process, options.pid, &why);
	if (!err) {
		err = snapshot_make(process.recording, process.part,
				    options.output, &directory, &why);
		live_process_fini(&process);
	}
	if (err) {
		complain(argv[0], "no snapshot of process %d: %s", options.pid,
			 why);
		free(why);
	} else if (!options.quiet) {
		recorded_line_print(directory, options.output);
	}
	free(directory);
	return err ? EXIT_FAILURE : EXIT_SUCCESS;
}
