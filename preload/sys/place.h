/* SPDX-License-Identifier: MIT */
/*
 * Maps clew's memory in a range of addresses of its own.
 *
 * The kernel would choose a hole between the program's mappings, for example
 * one that the program has just created by munmap() and inspects, or means to
 * fill again. In clew's range mappings follow each other, and mappings that are
 * not clew's are skipped. If the range is full or was not chosen, the kernel
 * chooses addresses. These functions are safe in any thread and signal handler.
 */
#ifndef CLEW_SYS_PLACE_H
#define CLEW_SYS_PLACE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Chooses the range; before that the kernel chooses addresses. Called once,
 * before clew maps memory.
 */
void place_begin(void);

/* Does the same as mmap() without an address. Returns the kernel's result. */
void *place_map(size_t bytes, int protection, int flags, int fd, off_t offset);

/*
 * Notes that memory was unmapped. If it was the last mapping of the range, its
 * addresses are used again next.
 */
void place_note_unmapped(const void *address, size_t bytes);

/* Returns whether the program's heap (brk) may grow into a range. */
int place_is_in_way_of_heap(uint64_t start, uint64_t bytes);

#endif
