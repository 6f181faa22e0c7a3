/* SPDX-License-Identifier: MIT */
/*
 * Reads stack slots that may be on a stack that was unmapped.
 *
 * A former stack may be unmapped, and a guard page may be in its place. Another
 * thread may unmap a page at any time, also between a check and a read.
 * Therefore the kernel copies such a page, by a system call that fails if the
 * page is missing. Each thread has one buffer for such copies (struct
 * hot_window). *known_page, a variable of the caller, holds the page that was
 * read last.
 *
 * All functions are safe in signal handlers.
 */
#ifndef CLEW_STACK_WALK_SLOTS_H
#define CLEW_STACK_WALK_SLOTS_H

#include <stdint.h>

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/trampoline.h"

/* Number of slots in 4 KiB, which is more than the frames of most functions. */
#define WALK_NEAR_SLOTS 512

/*
 * Flags in *known_page. Without these flags, the page is read directly: it
 * contains the thread's stack pointer or the frame of a running function, so it
 * cannot be unmapped, or it cannot be copied.
 */
#define WALK_MISSING 1 /* the page is not readable */
/* the page is the first one of the copy in the thread's window */
#define WALK_COPIED 2

/*
 * Returns a pointer to the words from an address on, and sets *end to their
 * end. Returns NULL if they are not readable, or must be read one by one. The
 * words may be a copy, which a signal handler can replace. Therefore the caller
 * must repeat everything until walk_has_words() returns true after its last
 * read.
 */
const uint64_t *walk_words(uint64_t address, uint64_t *known_page,
			   uint64_t *end);
int walk_has_words(uint64_t known_page);

/*
 * Returns the first slot in [at, until) for whose word is_wanted() returns
 * true, and stores the word in *word. If there is none, stores 0 and returns
 * `until`, or the first slot that is unreadable or must be read by walk_read().
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

/* The part of walk_read() for an address that cannot be read directly. */
int walk_read_page(uint64_t address, uint64_t *known_page, uint64_t *word);

/*
 * Stores the 8 bytes at an address in *word. Returns false if they are not
 * readable. *known_page must be 0 at first. It holds the page that was read
 * last and its flags, and is updated. May make a system call if the page is
 * another one. Under a system call filter, returns false for another page,
 * unless it is on the stack on which the thread began.
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
 * Some programs create stacks by hand and store 0 as the return address of the
 * first function, so the chain ends there. If the function with this id is such
 * a function, with its slot near `at`, returns the function's number, else 0.
 */
uint32_t walk_first_function(uint64_t at, uint64_t id);

#endif
