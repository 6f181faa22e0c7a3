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
#ifndef CLEW_SYMBOLIZER_SPACE_NUMBER_SET_H
#define CLEW_SYMBOLIZER_SPACE_NUMBER_SET_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SET_LEVELS = 6 }; /* 64^6: more than any vector has */

struct number_set {
	size_t limit; /* all numbers are below it */
	size_t levels;
	uint64_t *words[NUMBER_SET_LEVELS];
};

/* Empty. 0 or -ENOMEM. */
int number_set_init(struct number_set *set, size_t limit);
void number_set_fini(struct number_set *set);

int number_set_has(const struct number_set *set, size_t number);
void number_set_set(struct number_set *set, size_t number);
void number_set_clear(struct number_set *set, size_t number);

/* The least that is not below `number`; the limit if there is none. */
size_t number_set_next(const struct number_set *set, size_t number);

/* The greatest that is not above `number`; the limit if there is none. */
size_t number_set_previous(const struct number_set *set, size_t number);

#endif
