/* SPDX-License-Identifier: MIT */
/*
 * Slots of a stack that may have been unmapped: which are readable, and which
 * hold the return address of a running function.
 *
 * A former stack may be unmapped, and a guard page may be in its place.
 * Therefore the kernel is asked to read a word, by a system call that fails in
 * any case. One call serves for a page; the caller stores the latest page.
 *
 * All functions are safe in signal handlers.
 */
#ifndef CLEW_STACK_WALK_SLOTS_H
#define CLEW_STACK_WALK_SLOTS_H

#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/trampoline.h"

/* 4 KiB, more than most functions' frames. */
#define WALK_NEAR_SLOTS 512

/* Flag of a known page: it is not readable. */
#define WALK_MISSING 1

/*
 * Returns whether memory is readable. *known_page holds the latest page and its
 * state, 0 at first, and is updated. Makes a system call unless the page is
 * known. Behind a system call filter only the stack on which the thread began
 * is readable for certain.
 */
int walk_is_readable(uint64_t address, uint64_t *known_page);

/*
 * Returns whether both the thread and the address are on the stack on which the
 * thread began.
 */
int walk_is_on_own_stack(uint64_t address);

/* Returns whether a stack slot has the address of a stub or a trampoline. */
int walk_is_live(uint64_t at, uint64_t *mapped_page);

/* Returns the trampoline whose address is in a stack slot, or NULL. */
const struct trampoline *walk_trampoline(uint64_t at, uint64_t *known_page);

/*
 * Returns whether an arbitrary word is an address in a stub, or of a
 * trampoline.
 */
static inline int walk_is_waiting(uint64_t word)
{
	return runtime_is_stub(word) || trampoline_at(word);
}

/*
 * Returns the number of the function with this id if it is the first one of a
 * stack that was created by hand, with 0 as its return address, which ends the
 * chain. Searches near `at`. Returns 0 if it is not.
 */
uint32_t walk_first_function(uint64_t at, uint64_t id);

#endif
