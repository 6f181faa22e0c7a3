/* SPDX-License-Identifier: MIT */
/*
 * Replacements for libc functions that capstone refers to, linked into this
 * library only.
 *
 * The program's malloc may work from main on and not earlier, or may be the
 * very function that is being hooked, so none is used. Capstone gets memory
 * from disasm/decode.c and only refers to libc's functions as its defaults; the
 * same is true of vsnprintf(). Capstone sorts a table of its own on first use.
 * libc's qsort() would call malloc for it; the heapsort in this file works in
 * place.
 *
 * Capstone 5 also prints messages and contains assertions. A message is
 * discarded. An assertion that fails ends the decoding of the instruction and
 * not the program.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/decode.h"

typedef int (*comparison)(const void *, const void *);

struct heap {
	char *base;
	size_t size; /* of an element */
	comparison compare;
};

static char *element(const struct heap *heap, size_t index)
{
	return heap->base + index * heap->size;
}

static void swap(const struct heap *heap, size_t one, size_t other)
{
	char *a = element(heap, one);
	char *b = element(heap, other);

	for (size_t i = 0; i < heap->size; i++) {
		char byte = a[i];

		a[i] = b[i];
		b[i] = byte;
	}
}

static void sift_down(const struct heap *heap, size_t at, size_t count)
{
	for (size_t child; (child = 2 * at + 1) < count; at = child) {
		if (child + 1 < count &&
		    heap->compare(element(heap, child),
				  element(heap, child + 1)) < 0)
			child++;
		if (heap->compare(element(heap, at), element(heap, child)) >= 0)
			return;
		swap(heap, at, child);
	}
}

void qsort(void *base, size_t count, size_t size, comparison compare)
{
	const struct heap heap = { base, size, compare };

	for (size_t i = count / 2; i-- > 0;)
		sift_down(&heap, i, count);
	for (size_t end = count; end-- > 1;) {
		swap(&heap, 0, end);
		sift_down(&heap, 0, end);
	}
}

void *malloc(size_t bytes)
{
	return NULL;
}

void *calloc(size_t count, size_t bytes)
{
	return NULL;
}

void *realloc(void *memory, size_t bytes)
{
	return NULL;
}

void free(void *memory)
{
}

int vsnprintf(char *out, size_t bytes, const char *format, va_list arguments)
{
	if (bytes)
		*out = '\0';
	return 0;
}

/* Nobody writes it. */
FILE *stderr;

int printf(const char *format, ...)
{
	return 0;
}

int puts(const char *text)
{
	return 0;
}

size_t fwrite(const void *bytes, size_t size, size_t count, FILE *file)
{
	return count;
}

char *strcpy(char *restrict to, const char *restrict from)
{
	stpcpy(to, from);
	return to;
}

/* ---- Functions that only macros of libc's headers name ---- */

void __assert_fail(const char *assertion, const char *file, unsigned int line,
		   const char *function);
int __printf_chk(int flag, const char *format, ...);
void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room);
char *__strcpy_chk(char *to, const char *from, size_t room);

void __assert_fail(const char *assertion, const char *file, unsigned int line,
		   const char *function)
{
	decode_abandon();
}

int __printf_chk(int flag, const char *format, ...)
{
	return 0;
}

void *__memcpy_chk(void *to, const void *from, size_t bytes, size_t room)
{
	if (bytes > room)
		decode_abandon();
	return memcpy(to, from, bytes);
}

char *__strcpy_chk(char *to, const char *from, size_t room)
{
	return __memcpy_chk(to, from, strlen(from) + 1, room);
}
