/* SPDX-License-Identifier: MIT */
/* See heap.h. */
#include "symbolizer/elf/heap.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/array.h"

static void *or_end(void *memory)
{
	if (!memory)
		_exit(WORKER_NO_MEMORY);
	return memory;
}

void *heap_zeroed(size_t count, size_t size)
{
	return or_end(calloc(count ? count : 1, size));
}

char *heap_printf(const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	if (vasprintf(&text, format, arguments) < 0)
		text = NULL;
	va_end(arguments);
	return or_end(text);
}

void *heap_reserve(void *items, size_t wanted, size_t *capacity, size_t size)
{
	if (wanted <= *capacity)
		return items;
	return or_end(array_grown(items, wanted, capacity, size));
}
