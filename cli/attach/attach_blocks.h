/* SPDX-License-Identifier: MIT */
/*
 * The second build of libclew.so, whose thread-local variables are in unused
 * bytes of the threads' control blocks. It is loaded into processes that have
 * no static thread-local storage left (preload/host/own_place.h).
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_BLOCKS_H
#define CLEW_CLI_ATTACH_ATTACH_BLOCKS_H

#include "cli/attach/attaching.h"

/*
 * Called before the library is loaded. Checks that glibc is version 2.23 or
 * later, and that each thread that has not exited has a control block of libc's
 * whose bytes for the variables are unused (0). Returns 0, or -errno and *why.
 */
int attach_check_blocks(struct attaching *attaching, char **why);

/*
 * Initialises the library's thread-local variables in the control blocks in
 * which they are still 0: those of threads that existed before the library was
 * loaded. Does nothing if the ordinary build is loaded. Returns 0, or -errno
 * and *why.
 */
int attach_fill_blocks(struct attaching *attaching, char **why);

/* Returns whether the loaded library is the second build. */
int attach_is_in_blocks(const struct wire_attachment *attachment);

/*
 * Returns the address of pthread_create() in the process, or 0 if the symbol is
 * not found. A thread inside pthread_create() may have created a control block
 * before the library was loaded.
 */
uint64_t attach_makes_threads(const struct attaching *attaching);

#endif
