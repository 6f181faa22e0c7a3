/* SPDX-License-Identifier: MIT */
/*
 * Bracket expressions, [a-z0-9_], of globs and regular expressions, as POSIX
 * defines them in the locale "C": characters are bytes, in the order of their
 * values.
 */
#ifndef CLEW_MATCH_BRACKET_H
#define CLEW_MATCH_BRACKET_H

#include <stdint.h>

struct byte_set {
	uint64_t words[4];
};

static inline void byte_set_add(struct byte_set *set, uint8_t byte)
{
	set->words[byte / 64] |= UINT64_C(1) << byte % 64;
}

static inline int byte_set_has(const struct byte_set *set, uint8_t byte)
{
	return set->words[byte / 64] >> byte % 64 & 1;
}

static inline void byte_set_invert(struct byte_set *set)
{
	for (int i = 0; i < 4; i++)
		set->words[i] = ~set->words[i];
}

static inline void byte_set_unite(struct byte_set *set,
				  const struct byte_set *other)
{
	for (int i = 0; i < 4; i++)
		set->words[i] |= other->words[i];
}

/* The two languages, which differ as follows. */
enum bracket_kind {
	/* `^` negates; a backslash is an ordinary byte */
	BRACKET_OF_ERE,
	BRACKET_OF_GLOB, /* `!` also negates; a backslash quotes */
};

/*
 * Parses the expression after its "[" at text. Returns the text after its "]",
 * or NULL with an error message in *why.
 */
const char *bracket_parse(const char *text, enum bracket_kind kind,
			  struct byte_set *out, const char **why);

/*
 * Adds the bytes of a class, as in [:alpha:]. Returns false if no class has
 * this name.
 */
int bracket_add_class(struct byte_set *set, const char *name,
		      unsigned int length);

#endif
