/* SPDX-License-Identifier: MIT */
/*
 * Memory of the reader.
 *
 * The reader only looks at recordings: when memory runs out it has nothing to
 * save and nothing to undo, so these end the process with one clear line
 * instead of burdening every caller with a path that no test would reach.
 */
#ifndef CLEW_BASE_MEMORY_H
#define CLEW_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* Zeroed; free() it. */
void *memory_zeroed(size_t count, size_t size);

/*
 * The same for what may be large and is looked into at random: in huge pages, if the
 * kernel has any.
 */
void *memory_large(size_t count, size_t size);

char *memory_string(const char *text, size_t length);

/* printf into a string of its own; free() it. */
char *memory_printf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Opens a stream that is written into a string, which *text and *length are after fflush()
 * or fclose(); free() it.
 */
FILE *memory_stream(char **text, size_t *length);

/*
 * An array with room for at least one more than `count` items: `items` itself
 * or what replaces it. *capacity is kept up to date.
 */
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size);

/* What the others do when there is none, for memory had by other means. */
void memory_exhausted(void) __attribute__((noreturn));

#endif
