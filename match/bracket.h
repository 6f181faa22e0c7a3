/* SPDX-License-Identifier: MIT */
/*
 * Bracket expressions, [a-z0-9_], of globs and of regular expressions, as POSIX
 * has them in the locale "C": characters are bytes, in the order of their values.
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

/* What differs between the two languages. */
enum bracket_kind {
	BRACKET_OF_ERE,  /* ^ negates; a backslash is one */
	BRACKET_OF_GLOB, /* so does !; a backslash quotes */
};

/*
 * Read the expression whose first byte behind the [ is at text. Returns where it
 * goes on behind the ], or NULL with a sentence in *why: then it is none.
 */
const char *bracket_parse(const char *text, enum bracket_kind kind,
			  struct byte_set *out, const char **why);

/* Of a class's name, as in [:alpha:]. False: there is none of that name. */
int bracket_add_class(struct byte_set *set, const char *name,
		      unsigned int length);

#endif
