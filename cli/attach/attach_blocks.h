/* SPDX-License-Identifier: MIT */
/*
 * The second libclew.so, whose thread-local variables are in the threads'
 * control blocks. This library serves processes without free static
 * thread-local storage (preload/host/own_place.h).
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_BLOCKS_H
#define CLEW_CLI_ATTACH_ATTACH_BLOCKS_H

#include "cli/attach/attaching.h"

/*
 * Checks, before loading, that each thread has a control block of libc's whose
 * bytes for the variables are unused. Returns 0, or -errno and *why.
 */
int attach_check_blocks(struct attaching *attaching, char **why);

/*
 * Gives the variables of existing threads their initial values, after
 * loading. Does nothing if the first libclew.so is loaded. Returns 0, or -errno
 * and *why.
 */
int attach_fill_blocks(struct attaching *attaching, char **why);

/* Returns whether the loaded library is the second one. */
int attach_is_in_blocks(const struct wire_attachment *attachment);

/*
 * Returns the address of pthread_create(), or 0. A thread inside this function
 * may have created a control block before the library was loaded.
 */
uint64_t attach_makes_threads(const struct attaching *attaching);

#endif
