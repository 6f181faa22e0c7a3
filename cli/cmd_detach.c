/* SPDX-License-Identifier: MIT */
/*
 * clew detach: what `clew attach` does in the end, where it was killed before.
 */
#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/attaching.h"
#include "cli/command.h"
#include "cli/options.h"

struct detach_options {
	pid_t pid;
	int quiet;
};

static const struct argp_option argp_options[] = {
	{ "quiet", 'q', NULL, 0, "Say nothing but errors", 1 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct detach_options *options = state->input;

	switch (key) {
	case 'q':
		options->quiet = 1;
		return 0;
	default:
		return parse_process(key, argument, state, &options->pid);
	}
}

static int leave(struct attaching *attaching,
		 const struct detach_options *options, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err)
		return err;
	if (attachment.state == WIRE_ATTACH_NONE)
		return fail(why, -ENOENT, "clew is not attached to it");
	err = attaching_leave(attaching, why);
	if (!err && !options->quiet)
		complain("clew detach",
			 "detached from process %d: its threads stopped for "
			 "%.1f ms, one of them for %.1f ms; recorded in %s",
			 options->pid, (double)attaching->all_ns / 1e6,
			 (double)attaching->one_ns / 1e6, attachment.dir);
	return err;
}

static int detach(const struct detach_options *options, char **why)
{
	struct attaching attaching;
	int err;

	*why = target_obstacle(options->pid);
	if (*why)
		return -EINVAL;
	err = attaching_open(&attaching, options->pid, why);
	if (err)
		return err;
	err = leave(&attaching, options, why);
	attaching_close(&attaching);
	return err;
}

int command_detach(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "PID",
		.doc = "Leave a process that a `clew attach` was attached to "
		       "when it was killed.",
	};
	struct detach_options options = { 0 };
	char *why = NULL;
	int err;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	err = detach(&options, &why);
	if (!err)
		return 0;
	complain(argv[0], "process %d: %s", options.pid, why);
	free(why);
	return EXIT_FAILURE;
}
