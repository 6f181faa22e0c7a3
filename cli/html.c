/* SPDX-License-Identifier: MIT */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/options.h"
#include "report/html.h"

enum { KEY_OUTPUT = 'o', KEY_THREAD = 0x100, KEY_PROCESS };

struct options {
	const char *path;
	const char *output;
	struct whose whose;
};

static const struct argp_option argp_options[] = {
	{ "output", KEY_OUTPUT, "FILE", 0,
	  "Write the page to FILE (default: clew.html; -: standard output)",
	  0 },
	{ "thread", KEY_THREAD, "TID|NAME", 0, "Count only these threads", 0 },
	{ "process", KEY_PROCESS, "PID", 0, "Count only this process", 0 },
	{ 0 },
};

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case KEY_OUTPUT:
		options->output = argument;
		return 0;
	case KEY_THREAD:
		options->whose.thread = argument;
		return 0;
	case KEY_PROCESS:
		options->whose.pid = (uint32_t)parse_number(
			state, "process", argument, INT32_MAX);
		return 0;
	case ARGP_KEY_ARG:
		if (state->arg_num > 0)
			argp_error(state, "one recording at a time");
		options->path = argument;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Half a page is no page: what could not be written whole is removed. */
static int write_file(const char *command, const struct html_view *view,
		      const char *path)
{
	FILE *out = fopen(path, "we");
	int failed;

	if (!out) {
		complain(command, "%s: %s", path, strerror(errno));
		return EXIT_FAILURE;
	}
	html_write(out, view);
	failed = ferror(out);
	failed |= fclose(out);
	if (!failed)
		return EXIT_SUCCESS;
	complain(command, "%s: %s", path, strerror(errno));
	unlink(path);
	return EXIT_FAILURE;
}

static int write_page(const char *command, const struct html_view *view,
		      const char *path)
{
	if (strcmp(path, "-") != 0)
		return write_file(command, view, path);
	html_write(stdout, view);
	return finish_output(command);
}

int command_html(int argc, char **argv)
{
	static const struct argp argp = {
		.options = argp_options,
		.parser = parse,
		.args_doc = "[REC]",
		.doc = "Write a page with flame graphs and tables, for a "
		       "browser.",
	};
	struct options options = { .path = DEFAULT_RECORDING,
				   .output = "clew.html" };
	struct session session;
	struct html_view view = { .session = &session,
				  .whose = &options.whose };
	char *why;
	int status;

	argp_parse(&argp, argc, argv, 0, NULL, &options);
	if (session_open(&session, options.path, &options.whose, &why) != 0)
		return give_up(argv[0], why);
	status = write_page(argv[0], &view, options.output);
	session_close(&session);
	return status;
}
