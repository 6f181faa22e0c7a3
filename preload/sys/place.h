/* SPDX-License-Identifier: MIT */
/*
 * Where our memory goes: to a range of addresses of our own.
 *
 * The kernel would choose a hole between the program's mappings, such as one
 * that the program has just made by munmap(), and looks at, or means to fill
 * again. In the range mappings follow each other, and what is taken by somebody
 * else is passed over. Safe anywhere.
 */
#ifndef CLEW_SYS_PLACE_H
#define CLEW_SYS_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Choose the range. Before that the kernel chooses places. Once, while there is
 * but one thread.
 */
void place_begin(void);

/* As mmap() without an address; the kernel's answer. */
void *place_map(size_t bytes, int protection, int flags, int fd, off_t offset);

/* What has been unmapped; if it was the last of the range, it goes first. */
void place_has_been_left(const void *address, size_t bytes);

/* Whether the program's heap (brk) may want to grow into a range. */
int place_is_in_way_of_heap(uint64_t start, uint64_t bytes);

#endif
