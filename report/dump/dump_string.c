/* SPDX-License-Identifier: MIT */
/* See dump_string.h. */
#include "report/dump/dump_string.h"

#include <stdlib.h>
#include <string.h>

#include "base/display_text.h"
#include "base/memory.h"

void dump_string(FILE *out, const char *key, const char *bytes, size_t length)
{
	char *text = memory_string(bytes, strnlen(bytes, length));

	fprintf(out, " %s=%s\n", key, text_printable(text));
	free(text);
}
