/* SPDX-License-Identifier: MIT */
/* `clew detach`: detaches from processes after `clew attach` was killed. */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attach/detaching.h"
#include "cli/common/command.h"
#include "cli/common/command_line.h"
#include "cli/common/options.h"
#include "cli/deputy/deputy.h"
#include "cli/target/target.h"
#include "cli/target/target_choice.h"

#define COMMAND "clew detach"

struct detach_options {
	struct target_choice choice;
	int is_quiet;
};

static const struct argp_option argp_options[] = {
	TARGET_CHOICE(0, 0),
	ROW_QUIET,
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct detach_options *options = state->input;

	switch (key) {
	case 'q':
		options->is_quiet = 1;
		return 0;
	default:
		return target_choice_parse(&options->choice, key, argument,
					   state);
	}
}

/*
 * Detaches from all processes. Ignores processes that are not attached, unless
 * the user named them.
 */
static int leave_all(const struct chosen *chosen, int is_quiet)
{
	size_t left = 0, failed = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct chosen_process *process = &chosen->items[i];
		char *why = NULL;
		const int err =
			detaching_run(process->pid, COMMAND, is_quiet, &why);

		left += !err;
		if (err && (err != -ENOENT || process->is_named) &&
		    (process->is_named || !target_has_ended(process->pid))) {
			complain(COMMAND, "cannot detach from process %d: %s",
				 process->pid, why);
			failed++;
		}
		free(why);
	}
	if (!left && !failed)
		complain(COMMAND,
			 "clew is not attached to any of these processes");
	return left && !failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

int command_detach(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[PID...]",
		.doc = "Detach from processes whose `clew attach` was killed.",
	};
	struct detach_options options = { 0 };
	struct chosen chosen;
	char *why = NULL;
	int status;

	command_line_parse(&argp, argc, argv, 0, &options);
	if (target_choice_find(&options.choice, &chosen, &why) != 0) {
		status = give_up(COMMAND, why);
	} else {
		status = chosen.count == 1 &&
					 deputy_is_useful(chosen.items[0].pid)
				 ? deputy_run(chosen.items[0].pid, argc, argv,
					      options.is_quiet)
				 : leave_all(&chosen, options.is_quiet);
		free(chosen.items);
	}
	target_choice_fini(&options.choice);
	return status;
}
