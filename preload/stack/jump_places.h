/* SPDX-License-Identifier: MIT */
/*
 * For longjmp(): the ids that threads had when they called setjmp().
 *
 * A jmp_buf has no room for an id, and the frame may have been copied away and
 * back since by any code. Therefore a table holds the ids, by the buffer's
 * address and the stack pointer in it. A new buffer may replace another one in
 * the table. For a forgotten buffer, the function in which the jump lands is
 * searched on the stack (landing.h).
 *
 * All functions may be called by any thread and in signal handlers.
 */
#ifndef CLEW_STACK_JUMP_PLACES_H
#define CLEW_STACK_JUMP_PLACES_H

#include <stdint.h>

/*
 * Notes that the running function stores its frame in a buffer, by setjmp().
 * The frame's stack pointer is just above the slot, which holds the return
 * address of setjmp(). Also replaces stubs' addresses on the stack by
 * trampolines (trampolines_carry()), because the program may copy the stack and
 * jump into the copy.
 */
void jump_places_note(const void *slot, const void *buffer);

/*
 * Returns the id of the function that has filled the buffer with this stack
 * pointer, or ID_ROOT if the table does not contain the buffer.
 */
uint64_t jump_places_find(const void *buffer, uint64_t stack);

#endif
