/* SPDX-License-Identifier: MIT */
/*
 * clew's wrapper of dladdr(). If displaced instructions cause a fault, the
 * program's signal handler sees an address in a stub. dladdr() then reports the
 * function whose instructions they are.
 *
 * The wrapper is as safe in signal handlers as libc's dladdr().
 */
#include <dlfcn.h>

#include "preload/host/next.h"
#include "preload/lookup/displaced.h"

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
