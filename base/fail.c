/* SPDX-License-Identifier: MIT */
/* See fail.h. */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/display_text.h"
#include "base/memory.h"

int fail(char **why, int err, const char *format, ...)
{
	char *text;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = memory_string("out of memory", 13);
	va_end(arguments);
	*why = text_printable(text);
	return err;
}
