/* SPDX-License-Identifier: MIT */
/*
 * clew detach: what `clew attach` does in the end, where it was killed before.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "cli/attaching.h"
#include "cli/command.h"
#include "cli/inner_recording.h"
#include "cli/options.h"
#include "cli/standing_by.h"
#include "cli/target_choice.h"
#include "cli/target_obstacle.h"

#define COMMAND "clew detach"

struct detach_options {
	struct target_choice choice;
	int is_quiet;
};

static const struct argp_option argp_options[] = {
	TARGET_CHOICE,
	{ "quiet", 'q', NULL, 0, "Say nothing but errors", 1 },
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

static int leave(struct attaching *attaching, int is_quiet, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err)
		return err;
	if (attachment.state == WIRE_ATTACH_NONE)
		return fail(why, -ENOENT, "clew is not attached to it");
	err = attaching_leave(attaching, why);
	if (err)
		return err;
	err = inner_recording_bring_of(attaching->pid, &attachment, why);
	if (!is_quiet)
		complain(COMMAND,
			 "detached from process %d: its threads stopped for "
			 "%.1f ms, one of them for %.1f ms; recorded in %s%s",
			 attaching->pid, (double)attaching->all_ns / 1e6,
			 (double)attaching->one_ns / 1e6,
			 text_printable(*attachment.home && !err
						? attachment.home
						: attachment.dir),
			 err ? " of its own files" : "");
	if (err != -EBUSY)
		return err;
	free(*why); /* who records there still is to be left, too */
	*why = NULL;
	return 0;
}

/* Nothing of it is changed but that. */
static int switch_off(struct attaching *attaching, int is_quiet, char **why)
{
	int err;

	if (!standing_by_is_entered(attaching))
		return fail(why, -ENOENT, "clew is not attached to it");
	err = standing_by_leave(attaching, why);
	if (!err && !is_quiet)
		complain(COMMAND,
			 "detached from process %d: its Java methods count no "
			 "more",
			 attaching->pid);
	return err;
}

static int detach(pid_t pid, int is_quiet, char **why)
{
	struct attaching attaching;
	int err;

	*why = target_obstacle(pid);
	if (*why)
		return -EINVAL;
	err = attaching_open(&attaching, pid, why);
	if (err)
		return err;
	err = standing_by_look(&attaching)
		      ? switch_off(&attaching, is_quiet, why)
		      : leave(&attaching, is_quiet, why);
	attaching_close(&attaching);
	return err;
}

/* Those that were found by another's name need not be attached to. */
static int leave_all(const struct chosen *chosen, int is_quiet)
{
	size_t left = 0, failed = 0;

	for (size_t i = 0; i < chosen->count; i++) {
		const struct chosen_process *process = &chosen->items[i];
		char *why = NULL;
		const int err = detach(process->pid, is_quiet, &why);

		left += !err;
		if (err && (err != -ENOENT || process->is_named) &&
		    (process->is_named || !target_has_ended(process->pid))) {
			complain(COMMAND, "process %d: %s", process->pid, why);
			failed++;
		}
		free(why);
	}
	if (!left && !failed)
		complain(COMMAND, "clew is attached to none of them");
	return left && !failed ? EXIT_SUCCESS : EXIT_FAILURE;
}

int command_detach(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[PID...]",
		.doc = "Leave processes that a `clew attach` was attached to "
		       "when it was killed.",
	};
	struct detach_options options = { 0 };
	struct chosen chosen;
	char *why = NULL;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (target_choice_find(&options.choice, &chosen, &why) != 0) {
		status = give_up(COMMAND, why);
	} else {
		status = leave_all(&chosen, options.is_quiet);
		free(chosen.items);
	}
	target_choice_fini(&options.choice);
	return status;
}
