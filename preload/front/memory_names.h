/* SPDX-License-Identifier: MIT */
/*
 * The names that a program gives to its memory: that of a file that it maps, or
 * one of its choice (PR_SET_VMA_ANON_NAME). The last few are kept.
 */
#ifndef CLEW_FRONT_MEMORY_NAMES_H
#define CLEW_FRONT_MEMORY_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_NAME_BYTES 80 /* the kernel's limit, with the NUL */

/* One writer at a time. Without a name ("") what is there loses its own. */
void memory_names_set(uint64_t start, uint64_t end, const char *name);

/* What the memory at an address is called; "" if it has no name. Like writers. */
const char *memory_names_find(uint64_t at);

/* Whether any of it may have a name. At any time. */
int memory_names_overlap(uint64_t start, uint64_t end);

/*
 * A name for what a path of a descriptor in /proc leads to, as it is in each run: none
 * for files that are deleted, as temporary ones are, and for devices.
 */
void memory_name_of_path(const char *path, char name[MEMORY_NAME_BYTES]);

#endif
