/* SPDX-License-Identifier: MIT */
/*
 * For longjmp(): the id, which says what functions a thread is in, that it had when
 * it called setjmp().
 *
 * A jmp_buf has no room for an id, and the frame may have been copied away and
 * back since, by whatever code. So the id is kept beside: by the buffer's
 * address and the stack pointer in it. Of very many buffers some are forgotten;
 * then the function in which the jump lands is looked for on the stack (landing.h),
 * as it is where clew did not see the buffer being filled.
 *
 * Any thread, in signal handlers.
 */
#ifndef CLEW_STACK_JUMP_PLACES_H
#define CLEW_STACK_JUMP_PLACES_H

#include <stdint.h>

/*
 * The calling thread's function that is running remembers its frame: below the
 * slot is its stack pointer, in it the address that setjmp() returns to. Its
 * stubs wait at trampolines from then on.
 */
void jump_places_note(const void *slot, const void *buffer);

/* The id of that function, or ID_ROOT if it is not known. */
uint64_t jump_places_find(const void *buffer, uint64_t stack);

#endif
