/* SPDX-License-Identifier: MIT */
#include "match/glob.h"

#include <stddef.h>

#include "match/bracket.h"

/* Where the glob goes on if its next element matches the byte, or NULL. */
static const char *match_byte(const char *glob, char byte)
{
	struct byte_set set;
	const char *end, *why;

	if (*glob == '?')
		return glob + 1;
	if (*glob == '[' &&
	    (end = bracket_parse(glob + 1, BRACKET_OF_GLOB, &set, &why)))
		return byte_set_has(&set, (uint8_t)byte) ? end : NULL;
	if (*glob == '\\')
		glob++;
	return *glob == byte ? glob + 1 : NULL;
}

/*
 * The last * met is made to match a byte more whenever what follows does not
 * match: an earlier one need not be, as what it left over is no less.
 */
int glob_matches(const char *glob, const char *text)
{
	const char *star = NULL, *from = NULL;

	while (*text) {
		const char *next;

		if (*glob == '*') {
			star = ++glob;
			from = text;
			continue;
		}
		next = match_byte(glob, *text);
		if (next) {
			glob = next;
			text++;
		} else if (star) {
			glob = star;
			text = ++from;
		} else {
			return 0;
		}
	}
	while (*glob == '*')
		glob++;
	return !*glob;
}

/* Behind its last slash, or all of it. */
static const char *name_of(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	return name;
}

int glob_matches_file(const char *glob, const char *path)
{
	const int has_slash = name_of(glob) != glob;

	return glob_matches(glob, has_slash ? path : name_of(path));
}
