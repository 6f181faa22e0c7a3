/* SPDX-License-Identifier: MIT */
#include "symbolizer/space/starts.h"

#include <errno.h>
#include <stdlib.h>

static uint64_t bit(size_t number)
{
	return UINT64_C(1) << (number % 64);
}

int starts_init(struct starts *starts, size_t limit)
{
	size_t words = limit;

	*starts = (struct starts){ .limit = limit };
	do {
		words = words / 64 + 1;
		starts->words[starts->levels] = calloc(words, sizeof(uint64_t));
		if (!starts->words[starts->levels++]) {
			starts_fini(starts);
			return -ENOMEM;
		}
	} while (words > 1);
	return 0;
}

void starts_fini(struct starts *starts)
{
	for (size_t level = 0; level < starts->levels; level++)
		free(starts->words[level]);
	*starts = (struct starts){ 0 };
}

int starts_has(const struct starts *starts, size_t number)
{
	return (starts->words[0][number / 64] & bit(number)) != 0;
}

void starts_set(struct starts *starts, size_t number)
{
	for (size_t level = 0; level < starts->levels; level++) {
		starts->words[level][number / 64] |= bit(number);
		number /= 64;
	}
}

void starts_clear(struct starts *starts, size_t number)
{
	for (size_t level = 0; level < starts->levels; level++) {
		starts->words[level][number / 64] &= ~bit(number);
		number /= 64;
		if (starts->words[level][number])
			return;
	}
}

size_t starts_next(const struct starts *starts, size_t number)
{
	size_t level = 0;
	uint64_t word = 0;

	for (; level < starts->levels; level++) {
		word = starts->words[level][number / 64] >> (number % 64);
		if (word)
			break;
		/* The words of a level are one more than what they cover. */
		number = number / 64 + 1;
	}
	if (!word)
		return starts->limit;
	number += (size_t)__builtin_ctzll(word);
	while (level-- > 0) {
		word = starts->words[level][number];
		number = number * 64 + (size_t)__builtin_ctzll(word);
	}
	return number;
}

size_t starts_previous(const struct starts *starts, size_t number)
{
	size_t level = 0;
	uint64_t word = 0;

	for (; level < starts->levels; level++) {
		word = starts->words[level][number / 64] << (63 - number % 64);
		if (word)
			break;
		if (number < 64)
			return starts->limit;
		number = number / 64 - 1;
	}
	if (!word)
		return starts->limit;
	number -= (size_t)__builtin_clzll(word);
	while (level-- > 0) {
		word = starts->words[level][number];
		number = number * 64 + 63 - (size_t)__builtin_clzll(word);
	}
	return number;
}
