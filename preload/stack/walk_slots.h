/* SPDX-License-Identifier: MIT */
/*
 * Slots of a stack that may not be there: what can be read, and who waits for its
 * return.
 *
 * A stack that was here may be gone, and a guard page be in its place: the kernel is
 * asked to read, with a request that it refuses. Once for each page, the last one of
 * which is known.
 *
 * Safe in signal handlers.
 */
#ifndef CLEW_STACK_WALK_SLOTS_H
#define CLEW_STACK_WALK_SLOTS_H

#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/trampoline.h"

/* 4 KiB: more than most functions' frames have. */
#define WALK_NEAR_SLOTS 512

/* In a known page: it is not there. */
#define WALK_MISSING 1

/*
 * Whether memory is there. *known_page tells of one page, and is 0 in the
 * beginning; then it tells of this one. A system call, unless the page is known;
 * behind a filter all that is certain is the stack that the thread began on.
 */
int walk_is_readable(uint64_t address, uint64_t *known_page);

/* Whether that is on the stack that the thread began on, and so are we. */
int walk_is_on_own_stack(uint64_t address);

/* Whether some function's stub, or a trampoline, is waiting at this stack slot. */
int walk_is_live(uint64_t at, uint64_t *mapped_page);

/* The trampoline that waits at a stack slot, or NULL. */
const struct trampoline *walk_trampoline(uint64_t at, uint64_t *known_page);

/* Whether any word is one that a stub, or a trampoline, returns to. */
static inline int walk_is_waiting(uint64_t word)
{
	return runtime_is_stub(word) || trampoline_at(word);
}

/*
 * The number of the function with this id if it is the first one of a stack that was
 * made by hand, and returns to nobody: a slot with 0 as return address is no link to
 * others. Its slot is near one that is further in. 0: it is none.
 */
uint32_t walk_first_function(uint64_t at, uint64_t id);

#endif
