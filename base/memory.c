/* SPDX-License-Identifier: MIT */
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

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

char *memory_string(const char *text, size_t length)
{
	char *copy = or_die(malloc(length + 1));

	memcpy(copy, text, length);
	copy[length] = '\0';
	return copy;
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

void *memory_grow(void *items, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return items;
	return or_die(array_grown(items, count + 1, capacity, size));
}
