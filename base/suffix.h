/* SPDX-License-Identifier: MIT */
/* Suffixes of file names. */
#ifndef CLEW_BASE_SUFFIX_H
#define CLEW_BASE_SUFFIX_H

#include <stddef.h>
#include <string.h>

/*
 * Returns the length of a name without its suffix `suffix`, or 0 if the name
 * does not end with `suffix` or is equal to it.
 */
static inline size_t suffix_stem(const char *name, const char *suffix)
{
	const size_t length = strlen(name), behind = strlen(suffix);

	return length > behind && strcmp(name + length - behind, suffix) == 0
		       ? length - behind
		       : 0;
}

#endif
