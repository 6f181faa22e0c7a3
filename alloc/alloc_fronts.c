/* SPDX-License-Identifier: MIT */
/*
 * clew-alloc: counts allocations by calling context. Preloaded after
 * libclew.so, it has fronts of malloc() and related functions and of mmap().
 * Each front calls the next function of that name, of the C library or of
 * another allocator, and counts the result. C++'s new is counted if it calls
 * malloc(). In a process that clew attaches to, the functions are diverted to
 * the fronts (agent/agent_fronts.h).
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

#include "agent/agent_fronts.h"
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
static int watches_forks;

/* ---- In a process that clew attaches to ---- */

/* clang-format off */
#define FRONT(name) { #name, (void **)&next.name, 0, 0 },
/* clang-format on */

static const struct agent_front fronts[] = {
	FRONT(malloc) FRONT(calloc) FRONT(realloc) FRONT(free)
		FRONT(posix_memalign) FRONT(aligned_alloc) FRONT(memalign)
			FRONT(mmap) FRONT(munmap) FRONT(mremap)
};

static void begin_session(const char *option);
static void end_session(void);

extern struct agent_fronts libclew_agent_fronts;
EXPORT struct agent_fronts libclew_agent_fronts = {
	.version = AGENT_FRONTS_VERSION,
	.count = sizeof(fronts) / sizeof(*fronts),
	.name = "libclew-alloc.so",
	.of = fronts,
	.may_be_in_program = 1,
	.begin = begin_session,
	.end = end_session,
};

/*
 * Returns whether a front calls this one through the function that it has
 * called: then the outer front counts, and this one does not. Otherwise the
 * caller calls leave().
 */
static int is_inner(void)
{
	return libclew_agent_fronts.enter && !libclew_agent_fronts.enter();
}

static void leave(void)
{
	if (libclew_agent_fronts.leave)
		libclew_agent_fronts.leave();
}

/* ---- Starting ---- */

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
	if (start.state == VALUES_ARE_OFF)
		return;
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
	alloc_sites_begin_again();
	live_blocks_after_fork(1);
	live_mappings_after_fork(1);
}

static __attribute__((noinline)) int begin(int is_last)
{
	return value_start_try(&start, alloc_sites_begin, is_last);
}

static void watch_forks(void)
{
	if (!watches_forks)
		watches_forks = !libc_watch_forks(
			before_fork, after_fork_in_parent, after_fork_in_child);
}

static __attribute__((constructor)) void begin_at_last(void)
{
	if (!next.malloc)
		find_next();
	if (start.state == VALUES_NOT_YET)
		begin(1);
	if (start.state != VALUES_ARE_OFF)
		watch_forks();
}

static void begin_session(const char *option)
{
	live_blocks_clear(1);
	live_mappings_clear(1);
	alloc_sites_begin_again();
	watch_forks();
	start.late_calls = 0;
	start.state = VALUES_NOT_YET;
	begin(0);
}

static void end_session(void)
{
	start.state = VALUES_ARE_OFF;
	live_blocks_clear(0);
	live_mappings_clear(0);
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
 * once. Returns as live_blocks_take().
 */
static int forget(const void *at, struct live_block *block)
{
	const int saved = errno;
	const int is_known = start.state == VALUES_ARE_ON
				     ? live_blocks_take(at, block)
				     : -ENODEV;

	errno = saved;
	return is_known;
}

/* Counts the end of a block, given the result of forget(). */
static void note_end(int is_known, const struct live_block *block)
{
	const int saved = errno;

	if (is_known > 0)
		alloc_sites_remove(block->row, block->bytes,
				   now_ns() - block->born_ns);
	else if (!is_known)
		alloc_sites_remove_older(alloc_sites_here());
	errno = saved;
}

/* ---- Blocks ---- */

EXPORT void *malloc(size_t bytes)
{
	void *at;

	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.malloc(bytes);
	at = note(next.malloc(bytes), bytes);
	leave();
	return at;
}

EXPORT void *calloc(size_t count, size_t each)
{
	void *at;

	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.calloc(count, each);
	at = note(next.calloc(count, each), count * each);
	leave();
	return at;
}

EXPORT void free(void *at)
{
	struct live_block block;

	if (!at)
		return;
	if (!next.malloc)
		find_next();
	if (is_inner()) {
		next.free(at);
		return;
	}
	note_end(forget(at, &block), &block);
	next.free(at);
	leave();
}

/* Counts the end of one block, and a new block of the caller. */
static void *move(void *at, size_t bytes)
{
	struct live_block block;
	const int is_known = at ? forget(at, &block) : -EINVAL;
	void *to = next.realloc(at, bytes);

	if (to || bytes == 0)
		note_end(is_known, &block);
	else if (is_known > 0)
		/* the next function failed, so the block was not freed */
		keep(&block);
	return note(to, bytes);
}

EXPORT void *realloc(void *at, size_t bytes)
{
	void *to;

	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.realloc(at, bytes);
	to = move(at, bytes);
	leave();
	return to;
}

EXPORT int posix_memalign(void **out, size_t alignment, size_t bytes)
{
	int err;

	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.posix_memalign(out, alignment, bytes);
	err = next.posix_memalign(out, alignment, bytes);
	if (err == 0)
		note(*out, bytes);
	leave();
	return err;
}

EXPORT void *aligned_alloc(size_t alignment, size_t bytes)
{
	void *at;

	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.aligned_alloc(alignment, bytes);
	at = note(next.aligned_alloc(alignment, bytes), bytes);
	leave();
	return at;
}

EXPORT void *memalign(size_t alignment, size_t bytes)
{
	void *at;

	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.memalign(alignment, bytes);
	at = note(next.memalign(alignment, bytes), bytes);
	leave();
	return at;
}

/* ---- Mappings ---- */

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
	if (is_inner())
		return next.mmap(at, bytes, protection, flags, file, offset);
	at = note_mapping(next.mmap(at, bytes, protection, flags, file, offset),
			  bytes);
	leave();
	return at;
}

EXPORT void *mmap64(void *at, size_t bytes, int protection, int flags, int file,
		    off_t offset) __attribute__((alias("mmap")));

EXPORT int munmap(void *at, size_t bytes)
{
	int is_held, result;

	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.munmap(at, bytes);
	is_held = start.state == VALUES_ARE_ON && live_mappings_hold();
	result = next.munmap(at, bytes);
	if (is_held)
		live_mappings_release(at, result == 0 ? bytes : 0);
	leave();
	return result;
}

static void *remap(void *at, size_t bytes, size_t more, int flags, void *wanted)
{
	const int is_held =
		start.state == VALUES_ARE_ON && live_mappings_hold();
	void *to = next.mremap(at, bytes, more, flags, wanted);

	if (is_held)
		live_mappings_release(
			at, to == MAP_FAILED || flags & MREMAP_DONTUNMAP
				    ? 0
				    : bytes);
	return note_mapping(to, more);
}

EXPORT void *mremap(void *at, size_t bytes, size_t more, int flags, ...)
{
	va_list arguments;
	void *to, *wanted;

	va_start(arguments, flags);
	/* NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it was begun */
	wanted = flags & MREMAP_FIXED ? va_arg(arguments, void *) : NULL;
	va_end(arguments);
	if (!next.malloc)
		find_next();
	if (is_inner())
		return next.mremap(at, bytes, more, flags, wanted);
	to = remap(at, bytes, more, flags, wanted);
	leave();
	return to;
}
