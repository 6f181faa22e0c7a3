/* SPDX-License-Identifier: MIT */
/*
 * Copies and clears memory without libc, whose functions may be hooked and use
 * vector registers.
 */
#ifndef CLEW_SYS_COPY_BYTES_H
#define CLEW_SYS_COPY_BYTES_H

#include <stddef.h>

/*
 * Single instructions, because a compiler may turn a loop into a call of
 * memcpy() or memset().
 */
static inline void copy_bytes(void *to, const void *from, size_t bytes)
{
	__asm__ volatile("rep movsb"
			 : "+D"(to), "+S"(from), "+c"(bytes)
			 :
			 : "memory");
}

static inline void fill_zero(void *at, size_t bytes)
{
	__asm__ volatile("rep stosb"
			 : "+D"(at), "+c"(bytes)
			 : "a"(0)
			 : "memory");
}

#endif
