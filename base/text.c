/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

char *text_printable(char *text)
{
	for (char *at = text; *at; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return text;
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
