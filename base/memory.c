/* SPDX-License-Identifier: MIT */
/* See memory.h. */
#include "base/memory.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/array.h"

enum { PAGE_BYTES = 4096, LARGE_BYTES = 8 << 20 };

void memory_exhausted(void)
{
	fputs("clew: out of memory\n", stderr);
	exit(EXIT_FAILURE);
}

static void *or_die(void *memory)
{
	if (!memory)
		memory_exhausted();
	return memory;
}

void *memory_zeroed(size_t count, size_t size)
{
	return or_die(calloc(count ? count : 1, size));
}

void *memory_large(size_t count, size_t size)
{
	char *memory = memory_zeroed(count, size);
	const size_t before = -(uintptr_t)memory % PAGE_BYTES;

	/*
	 * Asks for huge pages, which would be wasted on smaller memory. Errors
	 * do not matter.
	 */
	if (size && count >= LARGE_BYTES / size)
		madvise(memory + before,
			(count * size - before) & -(size_t)PAGE_BYTES,
			MADV_HUGEPAGE);
	return memory;
}

char *memory_string(const char *text, size_t length)
{
	char *copy = or_die(malloc(length + 1));

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
}

char *memory_escaped(const char *text, const char *special)
{
	char *escaped = memory_zeroed(2 * strlen(text) + 1, 1);
	char *at = escaped;

	for (; *text; text++) {
		if (strchr(special, *text))
			*at++ = '\\';
		*at++ = *text;
	}
	return escaped;
}

FILE *memory_stream(char **text, size_t *length)
{
	return or_die(open_memstream(text, length));
}

char *memory_printf(const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return or_die(text);
}

void *memory_grown(void *items, size_t count, size_t *capacity, size_t size)
{
	return or_die(array_grown(items, count + 1, capacity, size));
}
