/* SPDX-License-Identifier: MIT */
/*
 * Which function remembered the frame that a jump goes to.
 *
 * A jmp_buf has no room for an id, and the frame may have been copied away and
 * back since, by whatever code. So the id is kept beside: by the buffer's
 * address and the stack pointer in it. Of very many buffers some are forgotten;
 * then the landing is looked for as it is for those that nobody saw remember.
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
