/* SPDX-License-Identifier: MIT */
/*
 * In front of dladdr(): a handler of a fault in displaced instructions is given a stub's
 * address, and asks in which function that is.
 *
 * Safe in signal handlers as far as libc's is.
 */
#include <dlfcn.h>

#include "preload/host/next.h"
#include "preload/patch/displaced.h"

static const void *of_program(const void *address)
{
	const uint64_t pc = displaced_pc((uintptr_t)address);

	return pc ? (const void *)pc : address;
}

EXPORT int dladdr(const void *address, Dl_info *info)
{
	return NEXT(dladdr)(of_program(address), info);
}

EXPORT int dladdr1(const void *address, Dl_info *info, void **extra, int flags)
{
	return NEXT(dladdr1)(of_program(address), info, extra, flags);
}
