/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer entry: the input is an expression, a newline, and a text. The
 * result of a compiled expression must equal libc's for the expressions and
 * texts that is_libcs_to_answer() accepts.
 */
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "match/ere.h"
#include "match/glob.h"
#include "tests/fuzz/pieces.h"

#define QUICK_BYTES 24

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * Returns whether libc's result is used. libc's compiler takes for ever for
 * repetitions of repetitions. Besides, libc finds 'h$.$' in a text that ends
 * with 'h' and a newline, although REG_NEWLINE is not set and nothing may
 * follow a '$'.
 */
static int is_libcs_to_answer(const char *pattern, const char *text)
{
	return strlen(pattern) <= QUICK_BYTES && !strchr(pattern, '{') &&
	       !strstr(pattern, "[.") && !strstr(pattern, "[=") &&
	       !strchr(text, '\n');
}

static void compare(struct ere *ere, const char *pattern, const char *text)
{
	regex_t regex;
	int matches = ere_matches(ere, text);

	if (!is_libcs_to_answer(pattern, text))
		return;
	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) ||
	    matches != !regexec(&regex, text, 0, NULL, 0)) {
		fprintf(stderr, "'%s' and '%s'\n", pattern, text);
		abort();
	}
	regfree(&regex);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pieces *pieces = calloc(1, sizeof(*pieces));
	char *pattern = strndup((const char *)data, size);
	char *text, *line = strchr(pattern, '\n');
	const char *why = NULL;
	struct ere ere;

	if (line) {
		*line = '\0';
		text = strdup(line + 1);
	} else {
		text = strdup("");
	}
	glob_matches(pattern, text);
	if (!ere_compile(&ere, pattern, pieces_take, pieces, &why))
		compare(&ere, pattern, text);
	else if (!why)
		abort();
	pieces_free(pieces);
	free(text);
	free(pattern);
	return 0;
}
