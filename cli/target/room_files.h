/* SPDX-License-Identifier: MIT */
/*
 * Reads the memory limits of control groups with the system calls of this
 * process.
 */
#ifndef CLEW_CLI_TARGET_ROOM_FILES_H
#define CLEW_CLI_TARGET_ROOM_FILES_H

#include <stdint.h>

#include "cgroup/memory_room.h"

extern const struct memory_room_files room_files;

/*
 * Returns whether this process may take `bytes` more and leave the reserve of
 * memory_room_reserve(). Takes about 0.1 ms. Any thread.
 */
int room_files_allow(uint64_t bytes);

#endif
