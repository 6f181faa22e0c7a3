/* SPDX-License-Identifier: MIT */
/* See command.h. */
#include "cli/common/command.h"

#include <argp.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

static char *printable_text(const char *format, va_list arguments)
{
	char *text;

	if (vasprintf(&text, format, arguments) < 0)
		memory_exhausted();
	return text_printable(text);
}

void complain(const char *command, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = printable_text(format, arguments);
	va_end(arguments);
	fprintf(stderr, "%s: %s\n", command, text);
	free(text);
}

void complain_of_usage(const struct argp_state *state, const char *format, ...)
{
	va_list arguments;
	char *text;

	va_start(arguments, format);
	text = printable_text(format, arguments);
	va_end(arguments);
	argp_error(state, "%s", text);
	free(text);
}

int give_up(const char *command, char *why)
{
	complain(command, "%s", why);
	free(why);
	return EXIT_FAILURE;
}

int finish_output(const char *command)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return EXIT_SUCCESS;
	complain(command, "cannot write: %s", strerror(errno));
	return EXIT_FAILURE;
}
