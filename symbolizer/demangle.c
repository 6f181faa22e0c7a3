/* SPDX-License-Identifier: MIT */
#include "symbolizer/demangle.h"

#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

#include "base/memory.h"
#include "base/text.h"

/* Longer than any name that people wrote: not worth the demangler's time. */
enum { LONGEST_MANGLED = 64 * 1024 };

static size_t length_without_version(const char *symbol)
{
	const char *at = strchr(symbol, '@');

	return at && at != symbol ? (size_t)(at - symbol) : strlen(symbol);
}

char *demangle(const char *symbol)
{
	size_t length = length_without_version(symbol);
	char *plain = memory_string(symbol, length);
	char *name = NULL;

	if (length <= LONGEST_MANGLED)
		name = cplus_demangle(plain,
				      DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!name)
		return text_printable(plain);
	free(plain);
	return text_printable(name);
}
