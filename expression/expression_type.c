/* SPDX-License-Identifier: MIT */
/* See expression_type.h. */
#include "expression/expression_type.h"

#include <errno.h>

#include "expression/expression_scan.h"

enum word_kind { WORD_SIZE, WORD_SIGN, WORD_WHOLE, WORD_IGNORED };

/* "int" has no effect beside "long" or "short". */
static const struct type_word {
	const char *text;
	uint8_t kind; /* enum word_kind */
	uint8_t bytes;
	uint8_t is_signed;
} words[] = {
	{ "char", WORD_SIZE, 1, 1 },      { "short", WORD_SIZE, 2, 1 },
	{ "int", WORD_SIZE, 4, 1 },       { "long", WORD_SIZE, 8, 1 },
	{ "unsigned", WORD_SIGN, 4, 0 },  { "signed", WORD_SIGN, 4, 1 },
	{ "const", WORD_IGNORED, 0, 0 },  { "volatile", WORD_IGNORED, 0, 0 },
	{ "void", WORD_WHOLE, 0, 0 },     { "bool", WORD_WHOLE, 1, 0 },
	{ "_Bool", WORD_WHOLE, 1, 0 },    { "int8_t", WORD_WHOLE, 1, 1 },
	{ "int16_t", WORD_WHOLE, 2, 1 },  { "int32_t", WORD_WHOLE, 4, 1 },
	{ "int64_t", WORD_WHOLE, 8, 1 },  { "uint8_t", WORD_WHOLE, 1, 0 },
	{ "uint16_t", WORD_WHOLE, 2, 0 }, { "uint32_t", WORD_WHOLE, 4, 0 },
	{ "uint64_t", WORD_WHOLE, 8, 0 }, { "size_t", WORD_WHOLE, 8, 0 },
	{ "ssize_t", WORD_WHOLE, 8, 1 },  { "off_t", WORD_WHOLE, 8, 1 },
	{ "intptr_t", WORD_WHOLE, 8, 1 }, { "uintptr_t", WORD_WHOLE, 8, 0 },
};

static const struct type_word *find_word(const char *text, size_t bytes)
{
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (scan_is(text, bytes, words[i].text))
			return &words[i];
	return NULL;
}

/* The words of a type found so far, in any order. */
struct type_words {
	uint8_t bytes;  /* size that the words name; 0 if they name none */
	uint8_t is_int; /* whether the size comes from "int" only */
	uint8_t has_sign, is_signed;
	uint8_t has_whole, has_any;
};

/* Adds a word. Returns 0, or -EINVAL if it does not fit the others. */
static int take_word(struct type_words *seen, const struct type_word *word)
{
	const int is_int = word->kind == WORD_SIZE && word->bytes == 4;

	if (word->kind == WORD_IGNORED)
		return 0;
	if (seen->has_whole || (word->kind == WORD_WHOLE && seen->has_any))
		return -EINVAL;
	seen->has_any = 1;
	if (word->kind == WORD_WHOLE) {
		seen->has_whole = 1;
		seen->bytes = word->bytes;
		seen->has_sign = 1;
		seen->is_signed = word->is_signed;
	} else if (word->kind == WORD_SIGN) {
		if (seen->has_sign)
			return -EINVAL;
		seen->has_sign = 1;
		seen->is_signed = word->is_signed;
	} else if (!seen->bytes || seen->is_int) {
		if (is_int && seen->bytes)
			return -EINVAL;
		if (seen->is_int && word->bytes == 1)
			return -EINVAL;
		seen->bytes = word->bytes;
		seen->is_int = (uint8_t)is_int;
	} else if (!(is_int && seen->bytes != 1) &&
		   !(word->bytes == 8 && seen->bytes == 8)) {
		return -EINVAL;
	}
	return 0;
}

int expression_type_parse(const char *text, size_t bytes, size_t *at,
			  struct expression_type *out)
{
	struct type_words seen = { 0 };
	struct expression_type type;
	size_t i = scan_blanks(text, bytes, *at);

	for (;;) {
		const size_t length = scan_name(text, bytes, i);
		const struct type_word *word = find_word(text + i, length);

		if (!word)
			break;
		if (take_word(&seen, word))
			return -EINVAL;
		i = scan_blanks(text, bytes, i + length);
	}
	if (!seen.has_any)
		return -EINVAL;
	type = (struct expression_type){
		.bytes = seen.bytes || seen.has_whole ? seen.bytes : 4,
		.is_signed = seen.has_sign ? seen.is_signed : 1,
	};
	for (; i < bytes && text[i] == '*'; i = scan_blanks(text, bytes, i + 1))
		if (type.stars++ == 8)
			return -EINVAL;
	if (!type.bytes && !type.stars)
		return -EINVAL;
	*at = i;
	*out = type;
	return 0;
}

unsigned int expression_type_target(const struct expression_type *type)
{
	return type->stars > 1 ? 8 : type->bytes;
}
