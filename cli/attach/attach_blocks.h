/* SPDX-License-Identifier: MIT */
/*
 * The other libclew.so, whose thread-local variables are in threads' control blocks:
 * for a process that has no static thread-local storage left (preload/host/own_place.h).
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_BLOCKS_H
#define CLEW_CLI_ATTACH_ATTACH_BLOCKS_H

#include "cli/attach/attaching.h"

/*
 * Before it is loaded: whether each thread has such a block of libc's, and nothing
 * where the variables are to be. 0, or -errno and *why.
 */
int attach_check_blocks(struct attaching *attaching, char **why);

/*
 * Once it is loaded: threads that were there before have their variables. Does nothing
 * where the library is not that one. 0, or -errno and *why.
 */
int attach_fill_blocks(struct attaching *attaching, char **why);

/* Whether the library is that one, by what it says. */
int attach_is_in_blocks(const struct wire_attachment *attachment);

/*
 * libc's function that makes a thread, by its address; 0: it has none. Who is in it may
 * have made the block of one before the library came.
 */
uint64_t attach_makes_threads(const struct attaching *attaching);

#endif
