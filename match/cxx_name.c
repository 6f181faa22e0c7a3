/* SPDX-License-Identifier: MIT */
/* See cxx_name.h. */
#include "match/cxx_name.h"

#include <stddef.h>
#include <string.h>

#define DEPTH_MAX 64 /* maximum depth of nested template arguments */

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* A part of a name, either of the name as the user typed it or of a symbol. */
struct name_part {
	const char *text;
	size_t bytes;
};

static int is_part(const struct name_part *part, const char *text)
{
	return part->bytes == strlen(text) &&
	       !memcmp(part->text, text, part->bytes);
}

static int are_same(const struct name_part *one, const struct name_part *other)
{
	return one->bytes == other->bytes &&
	       !memcmp(one->text, other->text, one->bytes);
}

/* ---- Symbols ---- */

/*
 * Reads a <source-name>: its length, then the name. Returns its end, or NULL.
 */
static const char *read_source_name(const char *at, struct name_part *out)
{
	size_t bytes = 0;

	while (is_digit(*at) && bytes < 1 << 16)
		bytes = bytes * 10 + (size_t)(*at++ - '0');
	*out = (struct name_part){ at, bytes };
	for (; bytes; bytes--)
		if (!*at++)
			return NULL;
	return out->bytes ? at : NULL;
}

/* Skips a number up to its '_': of S_, S1A_, T_, A5_. */
static const char *skip_number(const char *at)
{
	while (is_digit(*at) || (*at >= 'A' && *at <= 'Z'))
		at++;
	return *at == '_' ? at + 1 : NULL;
}

/* Skips a literal's value, after its type. */
static const char *skip_value(const char *at)
{
	while (is_digit(*at) || is_lower(*at))
		at++;
	return *at == 'E' ? at + 1 : NULL;
}

static const char *skip_to_end(const char *at, unsigned int depth);

/* Skips one piece of a list that an 'E' ends. Returns its end, or NULL. */
static const char *skip_piece(const char *at, unsigned int depth)
{
	struct name_part part;

	if (is_digit(*at))
		return read_source_name(at, &part);
	switch (*at) {
	case 'I':
	case 'J':
	case 'N':
	case 'X':
	case 'F':
		return skip_to_end(at + 1, depth + 1);
	case 'L': /* begins a literal, or a symbol of internal linkage */
		if (at[1] == '_')
			return at[2] == 'Z' ? skip_to_end(at + 3, depth + 1)
					    : NULL;
		at = is_lower(at[1]) ? at + 2 : skip_piece(at + 1, depth + 1);
		return at ? skip_value(at) : NULL;
	case 'S':
		return is_lower(at[1]) ? at + 2 : skip_number(at + 1);
	case 'T':
		return skip_number(at + 1);
	case 'A':
		return is_digit(at[1]) ? skip_number(at + 1) : NULL;
	case 'D':
		if (at[1] == 't' || at[1] == 'T')
			return skip_to_end(at + 2, depth + 1);
		return at[1] ? at + 2 : NULL;
	case 'Z': /* begins a name within a function */
	case '\0':
	case '.':
		return NULL;
	default:
		return at + 1;
	}
}

/* Skips the rest of a list and its 'E'. */
static const char *skip_to_end(const char *at, unsigned int depth)
{
	while (at && *at != 'E')
		at = depth < DEPTH_MAX ? skip_piece(at, depth) : NULL;
	return at ? at + 1 : NULL;
}

static int is_unnamed(const struct name_part *part)
{
	return is_part(part, "_GLOBAL__N_1") || is_part(part, "__cxx11") ||
	       is_part(part, "__1");
}

/* Recognizes a <ctor-dtor-name>; no source-name begins like one. */
static int is_special(const char *at, char kind)
{
	return at[0] == kind && at[1] >= '0' && at[1] <= '5';
}

/* ---- Names ---- */

/*
 * Reads the next part of a typed name. Returns the text after its "::", or NULL
 * if it is the last.
 */
static const char *next_part(const char *name, struct name_part *out)
{
	const char *end = name;

	while (*end && (end[0] != ':' || end[1] != ':'))
		end++;
	*out = (struct name_part){ name, (size_t)(end - name) };
	return *end ? end + 2 : NULL;
}

/* Skips unnamed namespaces, which may be omitted. */
static const char *skip_unnamed(const char *at)
{
	struct name_part part;
	const char *behind;

	while (at && is_digit(*at)) {
		behind = read_source_name(at, &part);
		if (!behind || !is_unnamed(&part))
			return at;
		at = behind;
	}
	return at;
}

/* Skips an ABI's tags and a template's arguments. */
static const char *skip_suffixes(const char *at)
{
	struct name_part tag;

	while (at && *at == 'B')
		at = read_source_name(at + 1, &tag);
	return at && *at == 'I' ? skip_to_end(at + 1, 0) : at;
}

/* Matches a part of the name in a symbol. Returns its end, or NULL. */
static const char *match_part(const char *at, const struct name_part *part,
			      const struct name_part *outer)
{
	struct name_part found;

	if (is_special(at, 'C'))
		at = are_same(part, outer) ? at + 2 : NULL;
	else if (is_special(at, 'D'))
		at = part->bytes && part->bytes == outer->bytes + 1 &&
				     part->text[0] == '~' &&
				     !memcmp(part->text + 1, outer->text,
					     outer->bytes)
			     ? at + 2
			     : NULL;
	else if (is_part(part, "std") && at[0] == 'S' && at[1] == 't')
		at += 2;
	else {
		at = read_source_name(*at == 'L' ? at + 1 : at, &found);
		if (at && !are_same(&found, part))
			at = NULL;
	}
	return skip_suffixes(at);
}

/* Matches a nested name: "N", the parts, and "E". Returns its end, or NULL. */
static const char *match_nested(const char *at, const char *name)
{
	struct name_part part = { "", 0 }, outer = part;

	while (*at == 'K' || *at == 'V' || *at == 'r' || *at == 'R' ||
	       *at == 'O')
		at++;
	while (at && name) {
		outer = part;
		name = next_part(name, &part);
		at = skip_unnamed(at);
		if (at)
			at = match_part(at, &part, &outer);
	}
	return at && *at == 'E' ? at + 1 : NULL;
}

/* Matches a function in no namespace, or in std. */
static const char *match_plain(const char *at, const char *name)
{
	const struct name_part none = { "", 0 };
	struct name_part part;

	name = next_part(name, &part);
	if (name && is_part(&part, "std") && at[0] == 'S' && at[1] == 't') {
		at += 2;
		name = next_part(name, &part);
	}
	return name ? NULL : match_part(at, &part, &none);
}

int cxx_name_means(const char *name, const char *symbol)
{
	const char *at;

	if (symbol[0] != '_' || symbol[1] != 'Z' || strchr(symbol, '.'))
		return 0;
	at = symbol[2] == 'N' ? match_nested(symbol + 3, name)
			      : match_plain(symbol + 2, name);
	return at && *at; /* parameters follow, so the symbol is no variable */
}
