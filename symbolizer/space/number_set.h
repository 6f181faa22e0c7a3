/* SPDX-License-Identifier: MIT */
/*
 * A set of small numbers that finds the neighbours of any number in a few
 * steps. The set has a bit for each number, on the next level a bit for each
 * nonzero word, and so on up to a single word.
 *
 *	level 1                  1         1 0 1 ...
 *	                         |         |   |
 *	level 0   0 0 1 0 .. 0 1   0 .. 0    1 ..
 */
#ifndef CLEW_SYMBOLIZER_SPACE_NUMBER_SET_H
#define CLEW_SYMBOLIZER_SPACE_NUMBER_SET_H

#include <stddef.h>
#include <stdint.h>

enum { NUMBER_SET_LEVELS = 6 }; /* 64^6: more than the size of any vector */

struct number_set {
	size_t limit; /* all numbers are less */
	size_t levels;
	uint64_t *words[NUMBER_SET_LEVELS];
};

/* Creates an empty set. Returns 0 or -ENOMEM. */
int number_set_init(struct number_set *set, size_t limit);
void number_set_fini(struct number_set *set);

int number_set_has(const struct number_set *set, size_t number);
void number_set_set(struct number_set *set, size_t number);
void number_set_clear(struct number_set *set, size_t number);

/* Returns the least member that is >= `number`; the limit if there is none. */
size_t number_set_next(const struct number_set *set, size_t number);

/*
 * Returns the greatest member that is <= `number`; the limit if there is none.
 */
size_t number_set_previous(const struct number_set *set, size_t number);

#endif
