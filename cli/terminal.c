/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"

enum { KEY_COLOR = 0x400, KEY_NO_PAGER, KEY_WIDE };

static const struct argp_option argp_options[] = {
	{ 0, 0, NULL, 0, "On a terminal:", 20 },
	{ "color", KEY_COLOR, "auto|always|never", OPTION_ARG_OPTIONAL,
	  "Use colours (default: auto)", 20 },
	{ "no-pager", KEY_NO_PAGER, NULL, 0,
	  "Do not show the output in a pager", 20 },
	{ "wide", KEY_WIDE, NULL, 0,
	  "Without a pager, do not cut lines at the terminal's width", 20 },
	{ 0 },
};

static enum when parse_when(struct argp_state *state, const char *text)
{
	if (!text || strcmp(text, "always") == 0)
		return WHEN_ALWAYS;
	if (strcmp(text, "never") == 0)
		return WHEN_NEVER;
	if (strcmp(text, "auto") != 0)
		complain_of_usage(state,
				  "--color=%s: neither auto, always nor never",
				  text);
	return WHEN_AUTO;
}

static error_t parse(int key, char *argument, struct argp_state *state)
{
	struct terminal *terminal = state->input;

	switch (key) {
	case KEY_COLOR:
		terminal->color = parse_when(state, argument);
		return 0;
	case KEY_NO_PAGER:
		terminal->without_pager = 1;
		return 0;
	case KEY_WIDE:
		terminal->is_wide = 1;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = { .options = argp_options, .parser = parse };

const struct argp_child terminal_children[] = { { .argp = &argp }, { 0 } };

static int wants_color(const struct terminal *terminal)
{
	const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");

	if (terminal->color != WHEN_AUTO)
		return terminal->color == WHEN_ALWAYS;
	return isatty(STDOUT_FILENO) && !(none && *none) && kind &&
	       strcmp(kind, "dumb") != 0;
}

int terminal_begin(struct terminal *terminal)
{
	int has_color = wants_color(terminal);

	pager_start(&terminal->pager, !terminal->without_pager,
		    terminal->is_wide);
	return has_color;
}

int terminal_finish(struct terminal *terminal, const char *command)
{
	int status = EXIT_SUCCESS;

	if (terminal->pager.pid == 0)
		status = finish_output(command);
	pager_finish(&terminal->pager);
	return status;
}
