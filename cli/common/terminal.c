/* SPDX-License-Identifier: MIT */
/* See terminal.h. */
#include "cli/common/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/common/option_values.h"

enum { KEY_COLOR = 0x400, KEY_NO_PAGER, KEY_WIDE };

enum { PROSE_WIDTH = 80 }; /* Width of prose without a terminal. */

/* clang-format off */
#define ROW_COLOR \
	{ "color", KEY_COLOR, "auto|always|never", OPTION_ARG_OPTIONAL, \
	  "When to use colors (default: auto)", HELP_TERMINAL }
/* clang-format on */

static const struct argp_option color_options[] = { ROW_COLOR, { 0 } };

static const struct argp_option argp_options[] = {
	ROW_COLOR,
	{ "no-pager", KEY_NO_PAGER, NULL, 0, "Do not use a pager",
	  HELP_TERMINAL },
	{ "wide", KEY_WIDE, NULL, 0,
	  "Do not wrap or cut lines at the width of the terminal",
	  HELP_TERMINAL },
	{ 0 },
};

static enum when parse_when(struct argp_state *state, const char *text)
{
	static const char *const known[] = {
		[WHEN_AUTO] = "auto",
		[WHEN_ALWAYS] = "always",
		[WHEN_NEVER] = "never",
	};

	return text ? (enum when)parse_word(state, "color", text, known, 3)
		    : WHEN_ALWAYS;
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

static const struct argp color_argp = { .options = color_options,
					.parser = parse };

const struct argp_child color_children[] = { { .argp = &color_argp }, { 0 } };

int terminal_has_color(const struct terminal *terminal)
{
	const char *none = getenv("NO_COLOR"), *kind = getenv("TERM");

	if (terminal->color != WHEN_AUTO)
		return terminal->color == WHEN_ALWAYS;
	return isatty(STDOUT_FILENO) && !(none && *none) && kind &&
	       strcmp(kind, "dumb") != 0;
}

int terminal_begin(struct terminal *terminal)
{
	int has_color = terminal_has_color(terminal);

	pager_start(&terminal->pager, !terminal->without_pager,
		    terminal->is_wide);
	return has_color;
}

unsigned int terminal_prose_width(const struct terminal *terminal)
{
	const int width = pager_terminal_width();

	if (terminal->is_wide)
		return 0;
	/* Lines that fill the last column are cut (cut.c). */
	return width > 1 ? (unsigned int)width - 1 : PROSE_WIDTH;
}

unsigned int terminal_table_width(const struct terminal *terminal)
{
	return pager_terminal_width() > 1 ? terminal_prose_width(terminal) : 0;
}

int terminal_finish(struct terminal *terminal, const char *command)
{
	int status = EXIT_SUCCESS;

	if (terminal->pager.pid == 0)
		status = finish_output(command);
	pager_finish(&terminal->pager);
	return status;
}
