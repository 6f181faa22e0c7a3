/* SPDX-License-Identifier: MIT */
/* See known_words.h. */
#include "cli/common/known_words.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/nearest.h"

size_t known_words_find(const char *word, const char *const *known,
			size_t count)
{
	size_t i = 0;

	while (i < count && strcmp(known[i], word) != 0)
		i++;
	return i;
}

char *known_words_text(const char *word, const char *const *known, size_t count)
{
	const char *nearest = nearest_word(word, known, count);
	char *text = NULL;
	size_t length;
	FILE *out = memory_stream(&text, &length);

	fputs("not one of ", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i == 0 ? "" : ", ", known[i]);
	if (nearest)
		fprintf(out, "; did you mean %s?", nearest);
	fclose(out);
	return text;
}
