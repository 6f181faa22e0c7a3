/* SPDX-License-Identifier: MIT */
/*
 * Memory of the worker.
 *
 * When memory is exhausted, the worker ends with a status that reports this
 * (see symbolizer/indexer/worker.h); the caller's process is not affected.
 * These functions therefore never return NULL.
 */
#ifndef CLEW_SYMBOLIZER_ELF_HEAP_H
#define CLEW_SYMBOLIZER_ELF_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Exit statuses of the worker other than 0. */
enum worker_status {
	WORKER_NO_MEMORY = 3,
	WORKER_CANNOT_WRITE = 4,
};

void *heap_zeroed(size_t count, size_t size);

/* Formats a new string, which the caller frees. */
char *heap_printf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/*
 * Returns the array with room for at least `wanted` items. Grows by doubling.
 */
void *heap_reserve(void *items, size_t wanted, size_t *capacity, size_t size);

#endif
