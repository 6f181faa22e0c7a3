/* SPDX-License-Identifier: MIT */
/* See next.h. */
#include "preload/host/next.h"

#include <errno.h>
#include <link.h>
#include <stddef.h>

#include "libc/libc.h"
#include "preload/host/lookup.h"
#include "preload/hot/runtime.h"

struct next_functions next;
#define X(name, import_traits) void *next_##name;
FRONTS_JUMPED(X)
#undef X

struct bounds_search {
	uintptr_t pc;
	struct pc_range bounds;
};

static int find_bounds(struct dl_phdr_info *info, size_t size, void *context)
{
	struct bounds_search *search = context;
	struct pc_range bounds = { .start = UINT64_MAX };

	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + segment->p_vaddr;

		if (segment->p_type != PT_LOAD)
			continue;
		if (at < bounds.start)
			bounds.start = at;
		if (at + segment->p_memsz > bounds.end)
			bounds.end = at + segment->p_memsz;
	}
	if (!next_is_inside(&bounds, search->pc))
		return 0;
	search->bounds = bounds;
	return 1;
}

/*
 * Returns the address range of the module that contains a function, or { 0 }.
 */
static struct pc_range bounds_of(const void *function)
{
	struct bounds_search search = { .pc = (uintptr_t)function };

	libc_each_module(NEXT(dl_iterate_phdr), find_bounds, &search);
	return search.bounds;
}

/*
 * Stores the address of the next function with this name. In an attached
 * process the library is the last one in symbol order, so all other modules are
 * searched. An address that is already stored may be that of a diverted
 * function's original code (front/entries.c), and stays.
 */
static void find(void **function, const char *name)
{
	if (!rt.is_late)
		*function = lookup_next(name);
	else if (!*function)
		*function = lookup_other(name);
}

/*
 * Functions of glibc that musl lacks and whose fronts need a next function. A
 * program finds the fronts by dlsym() or by weak references. Calls then fail:
 * with -1, or with 0 if that means failure.
 */
#define MUSL_LACKS_HELD(X)                                                     \
	X(epoll_pwait2, fail)                                                  \
	X(pkey_mprotect, fail)                                                 \
	X(swapcontext, fail)                                                   \
	X(setcontext, fail)                                                    \
	X(__sigaction, fail)                                                   \
	X(__ppoll_chk, fail)                                                   \
	X(dladdr1, find_nothing)
#define MUSL_LACKS_JUMPED(X)                                                   \
	X(getcontext, fail)                                                    \
	X(dlmopen, find_nothing)

static long fail(void)
{
	errno = ENOSYS;
	return -1;
}

static long find_nothing(void)
{
	return 0;
}

static void replace_missing(void)
{
#define X(name, replacement)                                                   \
	if (!next.name)                                                        \
		next.name = (void *)replacement;
	MUSL_LACKS_HELD(X)
#undef X
#define X(name, replacement)                                                   \
	if (!next_##name)                                                      \
		next_##name = (void *)replacement;
	MUSL_LACKS_JUMPED(X)
#undef X
}

static int find_all(struct dl_phdr_info *info, size_t size, void *context)
{
#define X(name, import_traits) find(&next.name, #name);
	FRONTS_HELD(X)
	NEXT_ONLY(X)
#undef X
#define X(name, import_traits) find(&next_##name, #name);
	FRONTS_JUMPED(X)
#undef X
	if (libc_is_musl())
		replace_missing();
	if (rt.is_late && next.libc.end)
		return 1;
	next.unwinder = bounds_of(next._Unwind_GetCFA);
	next.libc = bounds_of(next___libc_start_main);
	return 1;
}

/*
 * Looks up all next functions within a callback of dl_iterate_phdr(), during
 * which the loader removes no module from its list.
 */
void next_find(void)
{
	lookup_locked(find_all, NULL);
}
