/* SPDX-License-Identifier: MIT */
/*
 * The functions by which memory_room.h reads files about memory limits, for use
 * in clew's commands.
 */
#ifndef CLEW_CLI_TARGET_ROOM_FILES_H
#define CLEW_CLI_TARGET_ROOM_FILES_H

#include <stdint.h>

#include "cgroup/memory_room.h"

extern const struct memory_room_files room_files;

/*
 * Returns whether the calling process may take `bytes` more bytes of memory and
 * the reserve of memory_room_reserve() stays free. Takes about 0.1 ms. Any
 * thread may call this function.
 */
int room_files_allow(uint64_t bytes);

#endif
