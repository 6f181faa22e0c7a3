/* SPDX-License-Identifier: MIT */
/*
 * Finds the word that a user probably meant: the one with the fewest typing
 * errors.
 */
#ifndef CLEW_BASE_NEAREST_H
#define CLEW_BASE_NEAREST_H

#include <stddef.h>

struct nearest {
	const char *word; /* the word as the user wrote it */
	size_t length;    /* length of `word` */
	/* Number of errors of `best`; without `best`, one more than allowed. */
	size_t distance;
	const char *best; /* the best candidate so far, or NULL */
};

/* Begins a search. `word` must exist until the search ends. */
struct nearest nearest_to(const char *word);

/*
 * Offers a candidate: the first `length` characters of a text, which must exist
 * until the search ends. The candidate becomes `best` if it has fewer errors
 * than the best one so far, and not too many for a typing error. Two exchanged
 * neighbors are one error; so is an incomplete word of two or more characters,
 * however many are missing at its end.
 */
void nearest_offer(struct nearest *nearest, const char *candidate,
		   size_t length);

/*
 * Returns the one of `count` words that the user probably meant by `word`, or
 * NULL.
 */
const char *nearest_word(const char *word, const char *const *words,
			 size_t count);

#endif
