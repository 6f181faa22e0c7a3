/* SPDX-License-Identifier: MIT */
/*
 * Which function began a stack that makecontext() has made, noted when a thread
 * goes there for the first time. Apart from starts.h because it walks the stack
 * that the thread leaves, and walks ask starts.h where stacks end.
 */
#ifndef CLEW_STACK_STARTS_NOTE_H
#define CLEW_STACK_STARTS_NOTE_H

#include <stdint.h>

/*
 * The calling thread, which runs as id, is about to go to a context (starts.h).
 * False if that has begun before; else notes who begins it, if that is known for
 * sure.
 */
int starts_note(uint64_t stack, uint64_t link, uint64_t id);

#endif
