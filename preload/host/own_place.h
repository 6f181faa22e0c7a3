/* SPDX-License-Identifier: MIT */
/*
 * Thread-local variables in threads' control blocks.
 *
 * A process that runs already may have no static thread-local storage left, which the
 * loader sets aside when the process begins; then it does not load libclew.so. But
 * in each control block of libc's there is room (machine/control_block.h), and
 * there the variables of another libclew.so are, which is the same but for a few
 * words (preload/session/place_in_blocks.c): its relocations say that they are at a
 * positive distance from the thread pointer, so stubs for them are as good as others.
 *
 * What the loader does not know is that threads which are made from now on are to
 * begin with them. It initialises a thread's static variables, whether the
 * thread's memory is new or has been another thread's, by copying each module's
 * initial values to where the module's struct link_map says that they are, seen from
 * the control block: l_tls_offset, subtracted from its address, 0 for modules that
 * have none there. So that word is set. It follows five words that are known, and one
 * that is follows it, by which it is found; what else is in that structure differs
 * between versions.
 *
 *	l_tls_initimage  _initimage_size  _blocksize  _align  _firstbyte_offset
 *	l_tls_offset	 0 -> -128
 *	l_tls_modid
 */
#ifndef CLEW_HOST_OWN_PLACE_H
#define CLEW_HOST_OWN_PLACE_H

#include <stdint.h>

/* Whether thread-local variables are in control blocks. */
int own_place_is_in_blocks(void);

/*
 * Once, in a constructor: threads that begin from now on have them, and the calling
 * thread. Where their initial values are, in *image, and how many bytes. 0; or
 * -ENOTSUP: libc is too old, or not known.
 */
int own_place_begin(uint64_t *image, uint64_t *bytes);

/* The calling thread has them, if it had nothing there. */
void own_place_begin_thread(void);

#endif
