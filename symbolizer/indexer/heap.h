/* SPDX-License-Identifier: MIT */
/*
 * Memory of the worker: what it gets it keeps until it ends, or frees itself.
 *
 * The worker is a child that exists to be thrown away: when memory runs out it
 * ends with a status that says so (see symbolizer/worker.h), and the caller's
 * process never notices. So nothing here returns NULL.
 */
#ifndef CLEW_SYMBOLIZER_INDEXER_HEAP_H
#define CLEW_SYMBOLIZER_INDEXER_HEAP_H

#include <stddef.h>
#include <stdint.h>

/* Exit statuses of the worker, beside 0. */
enum worker_status {
	WORKER_NO_MEMORY = 3,
	WORKER_CANNOT_WRITE = 4,
};

void *heap_zeroed(size_t count, size_t size);

/* free() it. */
char *heap_printf(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* An array with room for at least `wanted` items; grows by doubling. */
void *heap_reserve(void *items, size_t wanted, size_t *capacity, size_t size);

#endif
