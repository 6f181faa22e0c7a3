/* SPDX-License-Identifier: MIT */
/*
 * A set of small numbers in which the neighbours of any number are found in a
 * handful of steps: a bit for each number, above it a bit for each word that
 * is not zero, and so on up to one word.
 *
 *	level 1                  1         1 0 1 ...
 *	                         |         |   |
 *	level 0   0 0 1 0 .. 0 1   0 .. 0    1 ..
 */
#ifndef CLEW_SYMBOLIZER_SPACE_STARTS_H
#define CLEW_SYMBOLIZER_SPACE_STARTS_H

#include <stddef.h>
#include <stdint.h>

enum { STARTS_LEVELS = 6 }; /* 64^6: more than any vector has */

struct starts {
	size_t limit; /* all numbers are below it */
	size_t levels;
	uint64_t *words[STARTS_LEVELS];
};

/* Empty. 0 or -ENOMEM. */
int starts_init(struct starts *starts, size_t limit);
void starts_fini(struct starts *starts);

int starts_has(const struct starts *starts, size_t number);
void starts_set(struct starts *starts, size_t number);
void starts_clear(struct starts *starts, size_t number);

/* The least that is not below `number`; the limit if there is none. */
size_t starts_next(const struct starts *starts, size_t number);

/* The greatest that is not above `number`; the limit if there is none. */
size_t starts_previous(const struct starts *starts, size_t number);

#endif
