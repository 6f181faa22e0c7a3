/* SPDX-License-Identifier: MIT */
/*
 * Notes the function that begins a stack of makecontext(), when a thread first
 * switches there. This file is separate from starts.h because it walks the
 * stack, and walks use starts.h.
 */
#ifndef CLEW_STACK_STARTS_NOTE_H
#define CLEW_STACK_STARTS_NOTE_H

#include <stdint.h>

/*
 * Called before the calling thread, whose id is `id`, switches to a context
 * (starts.h). Returns false if the context has begun before. Otherwise notes
 * which function begins it, if that is certain.
 */
int starts_note(uint64_t stack, uint64_t link, uint64_t id);

#endif
