/* SPDX-License-Identifier: MIT */
/* See nearest.h. */
#include "base/nearest.h"

#include <string.h>

/* Words and candidates with more characters are not compared. */
#define LENGTH_MAX 63

struct nearest nearest_to(const char *word)
{
	const size_t length = strlen(word);

	/*
	 * One error is allowed for each four characters, rounded up, and at
	 * most three errors.
	 */
	return (struct nearest){
		.word = word,
		.length = length,
		.distance = 1 + (length > 8 ? 3 : (length + 3) / 4),
	};
}

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * Returns the least number of steps that turn text `a` into text `b`. A step
 * inserts, removes or changes a character, or exchanges two neighbors.
 */
static size_t distance_of(const char *a, size_t a_length, const char *b,
			  size_t b_length)
{
	size_t rows[3][LENGTH_MAX + 1];
	size_t *before = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_length; j++)
		row[j] = j;
	for (size_t i = 1; i <= a_length; i++) {
		size_t *free_row = before;

		before = above;
		above = row;
		row = free_row;
		row[0] = i;
		for (size_t j = 1; j <= b_length; j++) {
			row[j] = least(least(row[j - 1], above[j]) + 1,
				       above[j - 1] + (a[i - 1] != b[j - 1]));
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	return row[b_length];
}

void nearest_offer(struct nearest *nearest, const char *candidate,
		   size_t length)
{
	const size_t longer =
		length > nearest->length ? length : nearest->length;
	const size_t shorter = least(length, nearest->length);
	size_t distance;

	if (nearest->length > 1 && length > nearest->length &&
	    memcmp(candidate, nearest->word, nearest->length) == 0)
		distance = 1;
	else if (longer > LENGTH_MAX || longer - shorter >= nearest->distance)
		return;
	else
		distance = distance_of(nearest->word, nearest->length,
				       candidate, length);
	/* If every character differs, the word is not a typing error. */
	if (distance >= nearest->distance || distance >= longer)
		return;
	nearest->distance = distance;
	nearest->best = candidate;
}

const char *nearest_word(const char *word, const char *const *words,
			 size_t count)
{
	struct nearest nearest = nearest_to(word);

	for (size_t i = 0; i < count; i++)
		nearest_offer(&nearest, words[i], strlen(words[i]));
	return nearest.best;
}
