/* SPDX-License-Identifier: MIT */
/*
 * clew-alloc: counts allocations by calling context. Preloaded after
 * libclew.so, it has fronts of malloc() and related functions and of mmap().
 * Each front calls the next function of that name, of the C library or of
 * another allocator, and counts the result. C++'s new is counted if it calls
 * malloc().
 *
 * clew-alloc is an example of an agent that uses agent/clew.h: alloc_sites.c
 * contains all of that. Without clew, or before clew has begun, calls are
 * passed on.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "agent/value_sites.h"
#include "alloc/alloc_sites.h"
#include "alloc/live_blocks.h"
#include "alloc/live_mappings.h"
#include "libc/libc.h"
#include "loaded/loaded_symbols.h"

#define EXPORT __attribute__((visibility("default")))

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	int (*posix_memalign)(void **, size_t, size_t);
	void *(*aligned_alloc)(size_t, size_t);
	void *(*memalign)(size_t, size_t);
	void *(*mmap)(void *, size_t, int, int, int, off_t);
	int (*munmap)(void *, size_t);
	void *(*mremap)(void *, size_t, size_t, int, ...);
} next;

static struct value_start start;

static void find_next(void)
{
	next.free = loaded_symbol_next("free");
	next.calloc = loaded_symbol_next("calloc");
	next.realloc = loaded_symbol_next("realloc");
	next.posix_memalign = loaded_symbol_next("posix_memalign");
	next.aligned_alloc = loaded_symbol_next("aligned_alloc");
	next.memalign = loaded_symbol_next("memalign");
	next.mmap = loaded_symbol_next("mmap");
	next.munmap = loaded_symbol_next("munmap");
	next.mremap = loaded_symbol_next("mremap");
	next.malloc = loaded_symbol_next("malloc");
}

static void before_fork(void)
{
	live_mappings_before_fork();
	live_blocks_before_fork();
}

static void after_fork_in_parent(void)
{
	live_blocks_after_fork(0);
	live_mappings_after_fork(0);
}

static void after_fork_in_child(void)
{
	alloc_sites_after_fork();
	live_blocks_after_fork(1);
	live_mappings_after_fork(1);
}

static __attribute__((noinline)) int begin(int is_last)
{
	return value_start_try(&start, alloc_sites_begin, is_last);
}

static __attribute__((constructor)) void begin_at_last(void)
{
	if (!next.malloc)
		find_next();
	if (start.state == VALUES_NOT_YET)
		begin(1);
	if (start.state != VALUES_ARE_OFF)
		libc_watch_forks(before_fork, after_fork_in_parent,
				 after_fork_in_child);
}

static int is_counting(void)
{
	return start.state == VALUES_ARE_ON ||
	       (start.state == VALUES_NOT_YET && begin(0));
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

/* Stores a live block that is counted already. */
static void keep(const struct live_block *block)
{
	const int saved = errno;

	if (live_blocks_add(block) != 0)
		alloc_sites_lose(block->row, block->bytes);
	errno = saved;
}

static void note_row(const void *at, size_t bytes, uint64_t row)
{
	const struct live_block block = { .at = (uintptr_t)at,
					  .bytes = bytes,
					  .row = row,
					  .born_ns = now_ns() };

	alloc_sites_add(block.row, bytes);
	keep(&block);
}

static void *note(void *at, size_t bytes)
{
	if (at && is_counting())
		note_row(at, bytes, alloc_sites_here());
	return at;
}

/*
 * Called before a block is freed, because another thread may get the address at
 * once.
 */
static int forget(const void *at, struct live_block *block)
{
	const int saved = errno;
	const int is_known =
		start.state == VALUES_ARE_ON && live_blocks_take(at, block);

	errno = saved;
	return is_known;
}

static void note_end(const struct live_block *block)
{
	alloc_sites_remove(block->row, block->bytes, now_ns() - block->born_ns);
}

EXPORT void *malloc(size_t bytes)
{
	if (!next.malloc)
		find_next();
	return note(next.malloc(bytes), bytes);
}

EXPORT void *calloc(size_t count, size_t each)
{
	if (!next.malloc)
		find_next();
	return note(next.calloc(count, each), count * each);
}

EXPORT void free(void *at)
{
	struct live_block block;

	if (!at)
		return;
	if (!next.malloc)
		find_next();
	if (forget(at, &block))
		note_end(&block);
	next.free(at);
}

/* Counts the end of one block, and a new block of the caller. */
EXPORT void *realloc(void *at, size_t bytes)
{
	struct live_block block;
	int is_known;
	void *to;

	if (!next.malloc)
		find_next();
	is_known = forget(at, &block);
	to = next.realloc(at, bytes);
	if (is_known && !to && bytes > 0) {
		/* the next function failed, so the block was not freed */
		keep(&block);
		return to;
	}
	if (is_known)
		note_end(&block);
	return note(to, bytes);
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	int err;

	if (!next.malloc)
		find_next();
	err = next.posix_memalign(out, alignment, bytes);
	if (err == 0)
		note(*out, bytes);
	return err;
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	if (!next.malloc)
		find_next();
	return note(next.aligned_alloc(alignment, bytes), bytes);
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
	if (!next.malloc)
		find_next();
	return note(next.memalign(alignment, bytes), bytes);
}

static void *note_mapping(void *at, size_t bytes)
{
	const int saved = errno;

	if (at != MAP_FAILED && is_counting())
		live_mappings_add(at, bytes, alloc_sites_here());
	errno = saved;
	return at;
}

EXPORT void *mmap(void *at, size_t bytes, int protection, int flags, int file,
		  off_t offset)
{
	if (!next.malloc)
		find_next();
	return note_mapping(
		next.mmap(at, bytes, protection, flags, file, offset), bytes);
}

EXPORT void *mmap64(void *at, size_t bytes, int protection, int flags, int file,
		    off_t offset) __attribute__((alias("mmap")));

EXPORT int munmap(void *at, size_t bytes)
{
	int is_held, result;

	if (!next.malloc)
		find_next();
	is_held = start.state == VALUES_ARE_ON && live_mappings_hold();
	result = next.munmap(at, bytes);
	if (is_held)
		live_mappings_release(at, result == 0 ? bytes : 0);
	return result;
}

EXPORT void *mremap(void *at, size_t bytes, size_t more, int flags, ...)
{
	va_list arguments;
	void *to, *wanted;
	int is_held;

	va_start(arguments, flags);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it was begun */
	wanted = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
	va_end(arguments);
	if (!next.malloc)
		find_next();
	is_held = start.state == VALUES_ARE_ON && live_mappings_hold();
	to = next.mremap(at, bytes, more, flags, wanted);
	if (is_held)
		live_mappings_release(
			at, to == MAP_FAILED || flags & MREMAP_DONTUNMAP
				    ? 0
				    : bytes);
	return note_mapping(to, more);
}
