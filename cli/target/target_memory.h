/* SPDX-License-Identifier: MIT */
/* Reads and writes the memory of another process through /proc/PID/mem. */
#ifndef CLEW_CLI_TARGET_TARGET_MEMORY_H
#define CLEW_CLI_TARGET_TARGET_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/*
 * Read `bytes` bytes, and write `count` bytes, at address `at` of the process.
 * `memory` is the open /proc/PID/mem. Return 0, or -errno if not all bytes
 * could be transferred.
 */
int target_read(int memory, uint64_t at, void *out, size_t bytes);
int target_write(int memory, uint64_t at, const void *bytes, size_t count);

#endif
