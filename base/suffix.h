/* SPDX-License-Identifier: MIT */
/* The ends of files' names. */
#ifndef CLEW_BASE_SUFFIX_H
#define CLEW_BASE_SUFFIX_H

#include <stddef.h>
#include <string.h>

/* How long that is which a name has in front of a suffix; 0: it does not end so. */
static inline size_t suffix_stem(const char *name, const char *suffix)
{
	const size_t length = strlen(name), behind = strlen(suffix);

	return length > behind && strcmp(name + length - behind, suffix) == 0
		       ? length - behind
		       : 0;
}

#endif
