/* SPDX-License-Identifier: MIT */
/* See clone_suffix.h. */
#include "base/clone_suffix.h"

#include <ctype.h>
#include <string.h>

static const char clone[] = " [clone ";

#define CLONE_BYTES (sizeof(clone) - 1)

/* Suffixes of parts of a function, then those of whole functions. */
static const char *const suffixes[] = {
	".cold",     ".part",       ".isra", ".constprop",
	".lto_priv", ".localalias", ".llvm",
};

enum { PART_SUFFIXES = 2 };

/*
 * Returns the index of the dot of the last suffix, or 0. Ignores the first
 * `ignored` suffixes of the table.
 */
static size_t suffix_index(const char *name, size_t length, size_t ignored)
{
	size_t at = length;

	while (at > 0 && isdigit((unsigned char)name[at - 1]))
		at--;
	if (at < length && at > 0 && name[at - 1] == '.')
		length = at - 1;
	for (size_t i = ignored; i < sizeof(suffixes) / sizeof(*suffixes);
	     i++) {
		at = strlen(suffixes[i]);
		if (length > at &&
		    memcmp(name + length - at, suffixes[i], at) == 0)
			return length - at;
	}
	return 0;
}

/* Returns the index of the blank of a last " [clone ...]", or 0. */
static size_t bracket_index(const char *name, size_t length)
{
	size_t at = length;

	while (at > 0 && name[at - 1] != ' ')
		at--;
	return at > CLONE_BYTES && memcmp(name + at - CLONE_BYTES, clone,
					  CLONE_BYTES) == 0
		       ? at - CLONE_BYTES
		       : 0;
}

size_t clone_suffix_strip_coroutine(const char *name, size_t length)
{
	static const char *const parts[] = { ".actor]", ".destroy]", ".resume]",
					     ".cleanup]" };
	const size_t at = length && name[length - 1] == ']'
				  ? bracket_index(name, length)
				  : 0;

	for (size_t i = 0; at && i < sizeof(parts) / sizeof(*parts); i++)
		if (length - at - CLONE_BYTES == strlen(parts[i]) &&
		    memcmp(name + at + CLONE_BYTES, parts[i],
			   strlen(parts[i])) == 0)
			return at;
	return length;
}

size_t clone_suffix_strip(const char *name, size_t length)
{
	while (length > 0) {
		const size_t at = name[length - 1] == ']'
					  ? bracket_index(name, length)
					  : suffix_index(name, length, 0);

		if (!at || clone_suffix_strip_coroutine(name, length) < length)
			return length;
		length = at;
	}
	return length;
}

size_t clone_suffix_strip_whole(const char *name, size_t length)
{
	while (length > 0) {
		const int bracket = name[length - 1] == ']';
		size_t at = suffix_index(name, length - (size_t)bracket,
					 PART_SUFFIXES);

		if (at && bracket)
			at = bracket_index(name, length);
		if (!at)
			return length;
		length = at;
	}
	return length;
}
