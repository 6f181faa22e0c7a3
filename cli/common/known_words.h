/* SPDX-License-Identifier: MIT */
/* Messages for a word that an option does not accept. */
#ifndef CLEW_CLI_COMMON_KNOWN_WORDS_H
#define CLEW_CLI_COMMON_KNOWN_WORDS_H

#include <stddef.h>

/*
 * Returns "not one of a, b, c; did you mean b?", which the caller frees. Omits
 * the question if no known word is similar to `word`.
 */
char *known_words_text(const char *word, const char *const *known,
		       size_t count);

/* Returns the index of `word` in `known`, or `count`. */
size_t known_words_find(const char *word, const char *const *known,
			size_t count);

#endif
