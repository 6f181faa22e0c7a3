/* SPDX-License-Identifier: MIT */
/* See display_text.h. */
#include "base/display_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct grouped text_grouped(uint64_t number)
{
	struct grouped out;
	char digits[21];
	char *to = out.text;
	int length = snprintf(digits, sizeof(digits), "%" PRIu64, number);

	for (int i = 0; i < length; i++) {
		*to++ = digits[i];
		if ((length - i) % 3 == 1 && i + 1 < length)
			*to++ = ',';
	}
	*to = '\0';
	return out;
}

struct duration text_duration(uint64_t ns)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	struct duration out = { "0" };
	size_t unit = 0;
	double value;

	if (ns == 0)
		return out;
	/*
	 * A value from 999.5 on would be printed as 1000, so the next unit is
	 * used.
	 */
	while (unit < 3 && (double)ns >= 999.5 * units[unit].ns)
		unit++;
	value = (double)ns / units[unit].ns;
	if (value >= 999.5)
		snprintf(out.text, sizeof(out.text), "%s s",
			 text_grouped((uint64_t)(value + 0.5)).text);
	else
		snprintf(out.text, sizeof(out.text), "%.*f %s",
			 unit == 0 || value >= 99.95 ? 0
			 : value >= 9.995            ? 1
						     : 2,
			 value, units[unit].unit);
	return out;
}

struct percentage text_percentage(double percent)
{
	struct percentage out;
	int decimals = 5;

	/*
	 * %g would print percentages below 1e-4 with an exponent. %f prints
	 * them, with as many decimals as show two digits other than leading
	 * zeros.
	 */
	if (percent > 0 && percent < 1e-4) {
		for (double unit = 1e-5; percent < unit && decimals < 16;
		     unit /= 10)
			decimals++;
		snprintf(out.text, sizeof(out.text), "%.*f", decimals + 1,
			 percent);
	} else {
		snprintf(out.text, sizeof(out.text),
			 percent >= 99.5 ? "%.0f" : "%.2g", percent);
	}
	return out;
}

/*
 * Returns the length in bytes of the UTF-8 character at `at`; 0 if the bytes
 * are not valid UTF-8.
 */
static size_t character_bytes(const unsigned char *at)
{
	size_t length = at[0] < 0x80   ? 1
			: at[0] < 0xc2 ? 0
			: at[0] < 0xe0 ? 2
			: at[0] < 0xf0 ? 3
			: at[0] < 0xf5 ? 4
				       : 0;

	for (size_t i = 1; i < length; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	}
	/*
	 * These are overlong forms, surrogates, and values beyond the last
	 * character.
	 */
	if ((at[0] == 0xe0 && at[1] < 0xa0) ||
	    (at[0] == 0xed && at[1] > 0x9f) ||
	    (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return length;
}

/*
 * Returns whether the character at `at` is a control character of ASCII or ISO
 * 8859.
 */
static int is_control(const unsigned char *at)
{
	return at[0] < ' ' || at[0] == 0x7f || (at[0] == 0xc2 && at[1] < 0xa0);
}

/*
 * Returns whether the character at `at` changes the order in which others are
 * displayed, or begins a line: U+061C, U+200E, U+200F, U+2028 to U+202E, U+2066
 * to U+2069.
 */
static int reorders(const unsigned char *at)
{
	if (at[0] == 0xd8)
		return at[1] == 0x9c;
	if (at[0] != 0xe2)
		return 0;
	if (at[1] == 0x80)
		return at[2] == 0x8e || at[2] == 0x8f ||
		       (at[2] >= 0xa8 && at[2] <= 0xae);
	return at[1] == 0x81 && at[2] >= 0xa6 && at[2] <= 0xa9;
}

char *text_printable(char *text)
{
	unsigned char *at = (unsigned char *)text;

	while (*at) {
		size_t length = character_bytes(at);

		if (length > 0 && !is_control(at) && !reorders(at)) {
			at += length;
			continue;
		}
		for (size_t i = 0; i < (length ? length : 1); i++)
			*at++ = '?';
	}
	return text;
}

size_t text_columns(const char *text)
{
	size_t columns = 0;

	for (; *text; text++)
		columns += ((unsigned char)*text & 0xc0) != 0x80;
	return columns;
}

const char *text_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *text_plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

static unsigned int suffix_shift(const char *suffix)
{
	static const char letters[] = "KMG";
	const char *letter = strchr(letters, toupper((unsigned char)*suffix));

	if (*suffix == '\0')
		return 0;
	if (!letter || suffix[1] != '\0')
		return 64;
	return 10 * (unsigned int)(letter - letters + 1);
}

int text_parse_size(const char *text, uint64_t *out)
{
	char *end;
	unsigned long long number;
	unsigned int shift;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	number = strtoull(text, &end, 10);
	shift = suffix_shift(end);
	if (shift == 64)
		return -EINVAL;
	if (errno || number << shift >> shift != number)
		return -ERANGE;
	*out = number << shift;
	return 0;
}

char *text_shell_word(char *text)
{
	const char *plain = "abcdefghijklmnopqrstuvwxyz"
			    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789_:.,/+-@%=";
	char *word, *to;

	if (*text && !text[strspn(text, plain)])
		return text;
	word = to = memory_zeroed(4 * strlen(text) + 3, 1);
	*to++ = '\'';
	for (const char *from = text; *from; from++)
		if (*from == '\'')
			to = stpcpy(to, "'\\''");
		else
			*to++ = *from;
	*to = '\'';
	free(text);
	return word;
}
