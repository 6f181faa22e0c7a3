/* SPDX-License-Identifier: MIT */
#include "tests/targets/makers.h"

#include <stdlib.h>
#include <sys/mman.h>

#define RWX (PROT_READ | PROT_WRITE | PROT_EXEC)

/* Ends with a tail call if it is optimised. */
static __attribute__((noinline)) int protect(void *start, size_t bytes,
					     int protection)
{
	return mprotect(start, bytes, protection);
}

void library_protect(void *start, size_t bytes)
{
	if (protect(start, bytes, RWX))
		abort();
}

void library_map_at(void *place, size_t bytes)
{
	if (mmap(place, bytes, RWX, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		 0) != place)
		abort();
}
