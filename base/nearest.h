/* SPDX-License-Identifier: MIT */
/*
 * Finds the word that a user probably meant: the one with the fewest typing
 * errors.
 */
#ifndef CLEW_BASE_NEAREST_H
#define CLEW_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* as the user wrote it */
	size_t length;    /* of the word */
	size_t distance; /* of `best`; one more than allowed if there is none */
	const char *best; /* the candidate, or NULL */
};

/* `word` must outlive the search. */
struct nearest nearest_to(const char *word);

/*
 * Offers a candidate, of which the first `length` characters count. The
 * candidate becomes `best` if it differs in fewer characters than the best one
 * so far, and in few enough to be a typing error. Two exchanged neighbors are
 * one error, and so are missing last characters.
 */
void nearest_offer(struct nearest *nearest, const char *candidate,
		   size_t length);

/* Returns the best one of `count` words, or NULL. */
const char *nearest_word(const char *word, const char *const *words,
			 size_t count);

#endif
