/* SPDX-License-Identifier: MIT */
/* See number_set.h. */
#include "symbolizer/space/number_set.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t bit(size_t number)
{
	return UINT64_C(1) << (number % 64);
}

int number_set_init(struct number_set *set, size_t limit)
{
	size_t words = limit;

	*set = (struct number_set){ .limit = limit };
	do {
		words = words / 64 + 1;
		set->words[set->levels] = calloc(words, sizeof(uint64_t));
		if (!set->words[set->levels++]) {
			number_set_fini(set);
			return -ENOMEM;
		}
	} while (words > 1);
	return 0;
}

void number_set_fini(struct number_set *set)
{
	for (size_t level = 0; level < set->levels; level++)
		free(set->words[level]);
	*set = (struct number_set){ 0 };
}

int number_set_has(const struct number_set *set, size_t number)
{
	return (set->words[0][number / 64] & bit(number)) != 0;
}

void number_set_set(struct number_set *set, size_t number)
{
	for (size_t level = 0; level < set->levels; level++) {
		set->words[level][number / 64] |= bit(number);
		number /= 64;
	}
}

void number_set_clear(struct number_set *set, size_t number)
{
	for (size_t level = 0; level < set->levels; level++) {
		set->words[level][number / 64] &= ~bit(number);
		number /= 64;
		if (set->words[level][number])
			return;
	}
}

size_t number_set_next(const struct number_set *set, size_t number)
{
	size_t level = 0;
	uint64_t word = 0;

	for (; level < set->levels; level++) {
		word = set->words[level][number / 64] >> (number % 64);
		if (word)
			break;
		/*
		 * The number of the next word is the bit number on the next
		 * level.
		 */
		number = number / 64 + 1;
	}
	if (!word)
		return set->limit;
	number += (size_t)__builtin_ctzll(word);
	while (level-- > 0) {
		word = set->words[level][number];
		number = number * 64 + (size_t)__builtin_ctzll(word);
	}
	return number;
}

size_t number_set_previous(const struct number_set *set, size_t number)
{
	size_t level = 0;
	uint64_t word = 0;

	for (; level < set->levels; level++) {
		word = set->words[level][number / 64] << (63 - number % 64);
		if (word)
			break;
		if (number < 64)
			return set->limit;
		number = number / 64 - 1;
	}
	if (!word)
		return set->limit;
	number -= (size_t)__builtin_clzll(word);
	while (level-- > 0) {
		word = set->words[level][number];
		number = number * 64 + 63 - (size_t)__builtin_clzll(word);
	}
	return number;
}
