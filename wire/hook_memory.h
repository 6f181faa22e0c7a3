/* SPDX-License-Identifier: MIT */
/*
 * How much private memory hooking takes in a process that clew attaches to.
 *
 * A hooked function has a stub, its share of a page of code that becomes private, a
 * record of what was written over its code, and an entry in the list from which the
 * code is restored. redis-server on Debian 12 has 26,767 hooked functions, whose memory
 * is 25.3 MB: 967 bytes each (Private_Dirty in /proc/PID/smaps_rollup).
 */
#ifndef CLEW_WIRE_HOOK_MEMORY_H
#define CLEW_WIRE_HOOK_MEMORY_H

#include <stdint.h>

/* For each hooked function, and for the library whatever is hooked. */
#define HOOK_MEMORY_FUNCTION_BYTES UINT64_C(1000)
#define HOOK_MEMORY_LIBRARY_BYTES  UINT64_C(2000000)

/* Bytes of private memory that so many hooked functions take, at most about. */
static inline uint64_t hook_memory_bytes(uint64_t functions)
{
	return HOOK_MEMORY_LIBRARY_BYTES +
	       functions * HOOK_MEMORY_FUNCTION_BYTES;
}

#endif
