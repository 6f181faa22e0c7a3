/* SPDX-License-Identifier: MIT */
/*
 * Slots of a stack that may have been unmapped: which are readable, and which
 * hold the return address of a running function.
 *
 * A former stack may be unmapped, and a guard page may be in its place. Another
 * thread may unmap a page at any time, also between a check and a read.
 * Therefore the kernel copies such a page, by a system call that fails if the
 * page is missing. Each thread has one copy (struct hot_window); the caller
 * stores which page it has seen last.
 *
 * All functions are safe in signal handlers.
 */
#ifndef CLEW_STACK_WALK_SLOTS_H
#define CLEW_STACK_WALK_SLOTS_H

#include <stdint.h>

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/trampoline.h"

/* 4 KiB, more than most functions' frames. */
#define WALK_NEAR_SLOTS 512

/*
 * Flags of a known page. With neither, the page is read where it is: the
 * thread's stack pointer or a running function's frame is in it, or the kernel
 * refuses to copy it.
 */
#define WALK_MISSING 1 /* it is not readable */
#define WALK_COPIED  2 /* a copy in the thread's window begins with it */

/*
 * Returns the words from an address to *end, or NULL if they are not readable,
 * or cannot be read at once. They may be a copy, which a handler on top of this
 * thread may replace: the caller repeats all until walk_has_words() returns
 * true after its last read.
 */
const uint64_t *walk_words(uint64_t address, uint64_t *known_page,
			   uint64_t *end);
int walk_has_words(uint64_t known_page);

/*
 * Returns the first slot from `at` on, below `until`, whose word is wanted, and
 * stores that word. Otherwise returns `until`, or a slot that cannot be read at
 * once, and stores 0.
 */
static inline __attribute__((always_inline)) uint64_t walk_scan(
	uint64_t at, uint64_t until, uint64_t *known_page,
	int (*is_wanted)(uint64_t at, uint64_t word), uint64_t *word)
{
	while (at < until) {
		uint64_t end, now = 0, found = at;
		const uint64_t *words = walk_words(at, known_page, &end);

		if (!words)
			break;
		if (end > until)
			end = until;
		for (; found < end; found += 8) {
			now = *words++;
			if (is_wanted(found, now))
				break;
		}
		if (!walk_has_words(*known_page))
			continue;
		at = found;
		if (at < end) {
			*word = now;
			return at;
		}
	}
	*word = 0;
	return at;
}

/* walk_read() for an address that is not in a known page without flags. */
int walk_read_page(uint64_t address, uint64_t *known_page, uint64_t *word);

/*
 * Stores the 8 bytes at an address in *word. Returns false if they are not
 * readable. *known_page holds the latest page and its flags, 0 at first, and is
 * updated. Makes a system call unless the page is known. Behind a system call
 * filter only the stack on which the thread began is readable for certain.
 */
static inline int walk_read(uint64_t address, uint64_t *known_page,
			    uint64_t *word)
{
	const uint64_t page = address & ~(PAGE_BYTES - 1);

	if (page && page == *known_page && !(address & 7)) {
		*word = *(const uint64_t *)address;
		return 1;
	}
	return walk_read_page(address, known_page, word);
}

/*
 * Returns whether both the thread and the address are on the stack on which the
 * thread began.
 */
int walk_is_on_own_stack(uint64_t address);

/* Returns whether a stack slot has the address of a stub or a trampoline. */
int walk_is_live(uint64_t at, uint64_t *known_page);

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
