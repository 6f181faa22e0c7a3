/* SPDX-License-Identifier: MIT */
/* Numbers for strings: each distinct string is stored once. */
#ifndef CLEW_BASE_STRINGS_H
#define CLEW_BASE_STRINGS_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"

/* Zero-initialise before use. */
struct strings {
	char **items; /* in order of their numbers */
	size_t count, capacity;
	struct idmap by_hash; /* value: number + 1 */
};

/* Returns the number of a string, which is copied if it is new. */
uint32_t strings_number(struct strings *strings, const char *text);

void strings_fini(struct strings *strings);

#endif
