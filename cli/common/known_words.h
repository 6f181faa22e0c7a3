/* SPDX-License-Identifier: MIT */
/* What is wrong with a word that is not one of those that an option takes. */
#ifndef CLEW_CLI_COMMON_KNOWN_WORDS_H
#define CLEW_CLI_COMMON_KNOWN_WORDS_H

#include <stddef.h>

/* Returns "not one of a, b, c; did you mean b?", for free(). */
char *known_words_text(const char *word, const char *const *known,
		       size_t count);

/* The index of `word` in `known`; `count` if it is none of them. */
size_t known_words_find(const char *word, const char *const *known,
			size_t count);

#endif
