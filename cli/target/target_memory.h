/* SPDX-License-Identifier: MIT */
/* Reading and writing the memory of another process, open as /proc/PID/mem. */
#ifndef CLEW_CLI_TARGET_TARGET_MEMORY_H
#define CLEW_CLI_TARGET_TARGET_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* 0, or -errno if not all of it could be read or written. */
int target_read(int memory, uint64_t at, void *out, size_t bytes);
int target_write(int memory, uint64_t at, const void *bytes, size_t count);

#endif
