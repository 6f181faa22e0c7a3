/* SPDX-License-Identifier: MIT */
/*
 * Memory of the reader.
 *
 * The reader only reads recordings. Without memory it has nothing to save or
 * undo, so these functions end the process with an error message, and callers
 * need no untested error paths.
 */
#ifndef CLEW_BASE_MEMORY_H
#define CLEW_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/* Returns zeroed memory; free() it. */
void *memory_zeroed(size_t count, size_t size);

/*
 * Like memory_zeroed(), for large memory with random accesses: uses huge pages
 * if the kernel has any.
 */
void *memory_large(size_t count, size_t size);

char *memory_string(const char *text, size_t length);

/* Formats into a new string; free() it. */
char *memory_printf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Opens a stream that writes to a string. *text and *length are valid after
 * fflush() or fclose(); free() the string.
 */
FILE *memory_stream(char **text, size_t *length);

/*
 * Returns an array with room for at least one more than `count` items: `items`
 * or its replacement. Updates *capacity.
 */
void *memory_grow(void *items, size_t count, size_t *capacity, size_t size);

/* Ends the process as the other functions do, for memory from other sources. */
void memory_exhausted(void) __attribute__((noreturn));

#endif
