/* SPDX-License-Identifier: MIT */
/*
 * Names that a program gives to its memory: that of a mapped file, or one of
 * its choice (PR_SET_VMA_ANON_NAME). Only the latest ones are stored.
 */
#ifndef CLEW_GENERATED_MEMORY_NAMES_H
#define CLEW_GENERATED_MEMORY_NAMES_H

#include <stddef.h>
#include <stdint.h>

#define MEMORY_NAME_BYTES 80 /* the kernel's limit, with the NUL */

/*
 * Sets the name of a range; "" removes names. Only one thread at a time may
 * call this function.
 */
void memory_names_set(uint64_t start, uint64_t end, const char *name);

/*
 * Returns the name of the memory at an address, or "". Must not be called while
 * memory_names_set() runs.
 */
const char *memory_names_find(uint64_t at);

/*
 * Returns whether any part of the range may have a name. May be called at any
 * time.
 */
int memory_names_overlap(uint64_t start, uint64_t end);

/*
 * Converts the target of a descriptor's link in /proc to a name: the file's
 * name without its folder, or "memfd:" with the name of a memory file. The name
 * is empty for devices and for deleted files, whose names often differ from run
 * to run.
 */
void memory_name_of_path(const char *path, char name[MEMORY_NAME_BYTES]);

#endif
