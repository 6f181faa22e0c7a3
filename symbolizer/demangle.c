/* SPDX-License-Identifier: MIT */
#include "symbolizer/demangle.h"

#include <stdlib.h>
#include <string.h>

#include <libiberty/demangle.h>

/* Longer than any name that people wrote: not worth the demangler's time. */
enum { LONGEST_MANGLED = 64 * 1024 };

static char *printable(char *text)
{
	for (char *at = text; at && *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return text;
}

/* "_Z" of C++, "_R" of Rust, "_D" of D; DMGL_AUTO knows no others. */
int demangle_is_mangled(const char *symbol)
{
	while (*symbol == '_' || *symbol == '$' || *symbol == '.')
		symbol++;
	return strchr("ZRDG", *symbol) != NULL && *symbol;
}

char *a2n_demangle(const char *symbol)
{
	const char *version = strchr(symbol, '@');
	char *plain = version && version != symbol
			      ? strndup(symbol, (size_t)(version - symbol))
			      : strdup(symbol);
	char *name = NULL;

	if (!plain)
		return NULL;
	if (demangle_is_mangled(plain) && strlen(plain) <= LONGEST_MANGLED)
		name = cplus_demangle(plain,
				      DMGL_PARAMS | DMGL_ANSI | DMGL_AUTO);
	if (!name)
		return printable(plain);
	free(plain);
	return printable(name);
}
