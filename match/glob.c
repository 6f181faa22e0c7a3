/* SPDX-License-Identifier: MIT */
/* See glob.h. */
#include "match/glob.h"

#include <stddef.h>

#include "match/bracket.h"

/*
 * Returns the rest of the glob if its next element matches the byte, or NULL.
 */
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
 * Whenever the text does not match, the last * is extended by a byte. Earlier
 * ones need no extension, because the last one can match any further bytes.
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

/* Returns the part after the last slash, or the whole path. */
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
