/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables in threads' control blocks.
 *
 * A running process may have no static thread-local storage left, which the
 * loader reserves when the process begins; the loader then refuses libclew.so.
 * But each control block of libc's has unused bytes (machine/control_block.h).
 * A variant of libclew.so, which differs in a few words
 * (preload/session/place_in_blocks.c), has its variables there. Its relocations
 * contain a positive distance from the thread pointer, and its stubs work like
 * those of the usual library.
 *
 * The loader must give threads that are created from now on the initial values.
 * The loader initialises a thread's static variables, in new or reused memory,
 * by copying each module's initial values to the offset in the module's struct
 * link_map: l_tls_offset, subtracted from the control block's address; 0 in
 * modules without such storage. clew therefore stores the offset in this word.
 * The word's position is found by the known words around it, because the rest
 * of that struct differs between versions of glibc.
 *
 *	l_tls_initimage _initimage_size _blocksize _align _firstbyte_offset
 *	l_tls_offset			0 -> -128
 *	l_tls_modid
 */
#ifndef CLEW_HOST_OWN_PLACE_H
#define CLEW_HOST_OWN_PLACE_H

#include <stdint.h>

/*
 * Returns whether this is the library variant whose thread-local variables are
 * in control blocks.
 */
int own_place_is_in_blocks(void);

/*
 * Called once, in a constructor: initialises the calling thread's variables,
 * and makes the loader initialise those of new threads. *image and *bytes are
 * the initial values. Returns 0, or -ENOTSUP if libc is too old or unknown.
 */
int own_place_begin(uint64_t *image, uint64_t *bytes);

/*
 * Initialises the thread-local variables of the calling thread, unless this was
 * done.
 */
void own_place_begin_thread(void);

#endif
