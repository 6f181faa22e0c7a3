/* SPDX-License-Identifier: MIT */
/* Numbers for strings: each distinct string is stored once. */
#ifndef CLEW_BASE_STRINGS_H
#define CLEW_BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"

/* The caller sets all members to 0 before use. */
struct strings {
	char **items; /* items[i] has number i */
	size_t count, capacity;
	struct idmap by_hash; /* maps the hash of a string to 1 + its number */
};

/*
 * Returns the number of a string, from 0 on. A string that has no number yet is
 * copied. Ends the process if memory is short.
 */
uint32_t strings_number(struct strings *strings, const char *text);

/* Returns whether a string has a number. */
int strings_has(const struct strings *strings, const char *text);

void strings_fini(struct strings *strings);

#endif
