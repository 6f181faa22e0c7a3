/* SPDX-License-Identifier: MIT */
/*
 * Memory of clew's commands.
 *
 * If memory is short, these functions end the process with an error message,
 * and callers need no code for this case. Use them only where the process has
 * nothing to save or to undo.
 */
#ifndef CLEW_BASE_MEMORY_H
#define CLEW_BASE_MEMORY_H

#include <stddef.h>
#include <stdio.h>

/*
 * Returns zeroed memory for `count` items of `size` bytes; the caller must
 * free() it.
 */
void *memory_zeroed(size_t count, size_t size);

/*
 * Like memory_zeroed(), for much memory that is accessed at random: from 8 MB
 * on, asks the kernel for huge pages.
 */
void *memory_large(size_t count, size_t size);

char *memory_string(const char *text, size_t length);

/* Formats a new string; the caller must free() it. */
char *memory_printf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Returns the text with a backslash before each character in `special`; the
 * caller must free() it.
 */
char *memory_escaped(const char *text, const char *special);

/*
 * Opens a stream that writes to a new string. *text and *length are valid after
 * fflush() or fclose(). The caller must fclose() the stream and then free() the
 * string.
 */
FILE *memory_stream(char **text, size_t *length);

/*
 * Returns the array that replaces `items`, with room for more than `count`
 * items of `size` bytes. Updates *capacity.
 */
void *memory_grown(void *items, size_t count, size_t *capacity, size_t size);

/*
 * Returns an array with room for at least one more than `count` items of `size`
 * bytes: `items`, or the array that replaces it. Updates *capacity.
 */
static inline void *memory_grow(void *items, size_t count, size_t *capacity,
				size_t size)
{
	return count < *capacity ? items
				 : memory_grown(items, count, capacity, size);
}

/*
 * Ends the process with the error message for lack of memory. Called after
 * other functions have failed to allocate memory.
 */
void memory_exhausted(void) __attribute__((noreturn));

#endif
