/* SPDX-License-Identifier: MIT */
/* See bracket.h. */
#include "match/bracket.h"

#include <stddef.h>

struct bracket_class {
	const char *name;
	const char *ranges; /* pairs of first and last byte */
};

static const struct bracket_class classes[] = {
	{ "alnum", "09AZaz" },   { "alpha", "AZaz" },
	{ "blank", "\t\t  " },   { "cntrl", "\001\037\177\177" },
	{ "digit", "09" },       { "graph", "!~" },
	{ "lower", "az" },       { "print", " ~" },
	{ "punct", "!/:@[`{~" }, { "space", "\t\r  " },
	{ "upper", "AZ" },       { "xdigit", "09AFaf" },
};

static int is_same(const char *name, const char *text, unsigned int length)
{
	for (; length; length--)
		if (*name++ != *text++)
			return 0;
	return !*name;
}

static void add_range(struct byte_set *set, uint8_t first, uint8_t last)
{
	for (unsigned int byte = first; byte <= last; byte++)
		byte_set_add(set, (uint8_t)byte);
}

int bracket_add_class(struct byte_set *set, const char *name,
		      unsigned int length)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++) {
		const char *range = classes[i].ranges;

		if (!is_same(classes[i].name, name, length))
			continue;
		for (; *range; range += 2)
			add_range(set, (uint8_t)range[0], (uint8_t)range[1]);
		return 1;
	}
	return 0;
}

/* Reads the text within the brackets. */
struct bracket_reader {
	const char *at;
	enum bracket_kind kind;
	struct byte_set *set;
	const char *why; /* the error message, or NULL */
};

static int refuse(struct bracket_reader *reader, const char *why)
{
	reader->why = why;
	return 0;
}

/*
 * Returns the end of a class's name at `at`, as in [:alpha:], or NULL if there
 * is none.
 */
static const char *find_end(const char *at)
{
	while (*at >= 'a' && *at <= 'z')
		at++;
	return at[0] == ':' && at[1] == ']' ? at : NULL;
}

static int is_class(const struct bracket_reader *reader)
{
	const char *at = reader->at;

	return at[0] == '[' && at[1] == ':' &&
	       (reader->kind == BRACKET_OF_ERE || find_end(at + 2));
}

static int read_class(struct bracket_reader *reader)
{
	const char *name = reader->at + 2;
	const char *end = find_end(name);

	if (!end)
		return refuse(reader, "[: without :]");
	if (!bracket_add_class(reader->set, name, (unsigned int)(end - name)))
		return refuse(reader, "there is no such character class");
	reader->at = end + 2;
	return 1;
}

/* Reads a byte that may begin or end a range. */
static int read_byte(struct bracket_reader *reader, uint8_t *byte)
{
	const char *at = reader->at;

	if (at[0] == '[' && (at[1] == '.' || at[1] == '=')) {
		if (!at[2] || at[3] != at[1] || at[4] != ']')
			return refuse(reader,
				      "there is no such collating element");
		*byte = (uint8_t)at[2];
		reader->at = at + 5;
		return 1;
	}
	if (reader->kind == BRACKET_OF_GLOB && *at == '\\')
		at++;
	if (!*at)
		return refuse(reader, "[ without ]");
	*byte = (uint8_t)*at;
	reader->at = at + 1;
	return 1;
}

static int is_range(const char *at)
{
	return at[0] == '-' && at[1] != ']' && at[1];
}

/* Reads one byte, or one range. */
static int read_element(struct bracket_reader *reader)
{
	uint8_t first, last;

	if (!read_byte(reader, &first))
		return 0;
	last = first;
	if (is_range(reader->at)) {
		reader->at++;
		if (is_class(reader))
			return refuse(
				reader,
				"a range cannot end in a character class");
		if (!read_byte(reader, &last))
			return 0;
	}
	if (first > last && reader->kind == BRACKET_OF_ERE)
		return refuse(reader, "a range ends before it begins");
	add_range(reader->set, first, last);
	return 1;
}

const char *bracket_parse(const char *text, enum bracket_kind kind,
			  struct byte_set *out, const char **why)
{
	struct bracket_reader reader = { .at = text, .kind = kind, .set = out };
	const char *first;
	int is_negated;

	*out = (struct byte_set){ 0 };
	is_negated = *text == '^' || (*text == '!' && kind == BRACKET_OF_GLOB);
	reader.at += is_negated;
	first = reader.at;
	do { /* a ] at the beginning stands for itself */
		if (!*reader.at)
			refuse(&reader, "[ without ]");
		else if (is_class(&reader))
			read_class(&reader);
		else if (kind == BRACKET_OF_ERE && reader.at != first &&
			 is_range(reader.at))
			refuse(&reader, "a range has no beginning");
		else
			read_element(&reader);
		if (reader.why) {
			*why = reader.why;
			return NULL;
		}
	} while (*reader.at != ']');
	if (is_negated)
		byte_set_invert(out);
	return reader.at + 1;
}
