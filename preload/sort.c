/* SPDX-License-Identifier: MIT */
/*
 * qsort() for capstone, which sorts a table of its own when it is first used:
 * libc's asks the program's malloc for memory, and there are programs whose
 * malloc works from main on, and no earlier. Linked in place of libc's, in
 * this library only: heapsort, in place.
 */
#include <stddef.h>
#include <stdlib.h>

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
