/* SPDX-License-Identifier: MIT */
/*
 * Unwinding through stubs.
 *
 * While a hooked function runs, the return address that an unwinder finds is
 * its stub's exit. One rule, the same for every exit of every stub, takes it
 * from there to the caller: the true return address is in the shadow slot.
 */
#ifndef CLEW_PRELOAD_FRAMES_H
#define CLEW_PRELOAD_FRAMES_H

#include "preload/window.h"

/*
 * Describe the frames of the stubs in each block that has no description yet,
 * for unwinders that ask the loader (frames_find.c). 0 or -ENOMEM.
 */
int frames_describe(struct windows *windows);

/*
 * Tell the process's unwinder about the blocks of stubs that it has not been
 * told of, though they are described. Nothing happens as long as there is none. Calls libc.
 */
void frames_register(struct windows *windows);

#endif
