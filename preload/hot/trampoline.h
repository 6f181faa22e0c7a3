/* SPDX-License-Identifier: MIT */
/*
 * Trampolines: return addresses that carry what the shadow would hold.
 *
 * The shadow knows a call by its place on the stack. Coroutines on one stack,
 * and continuations, copy a slice of the stack away, run something else there,
 * and copy the slice back: stubs' addresses return with it, but the shadow of
 * that place is somebody else's by then. So in such a copy each stub's address
 * is replaced by the address of a trampoline, which is code of its own with a
 * record of its own:
 *
 *	stack		copy		  trampoline	      record
 *	stub of f   ->	trampoline 7 -->  rdx = record 7 -->  return address,
 *	other words	other words	  jmp *%fs:...	      ids
 *
 * A trampoline needs no shadow. It may be copied on, kept for ever, and returned
 * to any number of times, by any thread; equal ones are one. What it costs is a
 * mispredicted return.
 *
 * To all who look for stubs by address it is none (struct runtime, windows): a
 * function that leaves by a tail call with a trampoline behind it counts as one
 * that calls.
 */
#ifndef CLEW_HOT_TRAMPOLINE_H
#define CLEW_HOT_TRAMPOLINE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"

/* Of the code, and of the record: they are in the same order. */
#define TRAMPOLINE_BYTES       32
#define TRAMPOLINE_BLOCK_BYTES (UINT64_C(1) << WINDOW_SHIFT)
#define TRAMPOLINE_HEAD_BYTES  4096 /* an ELF image (preload/stub_image.h) */

struct trampoline {
	struct shadow_slot slot; /* as the shadow had it; never changed */
	uint64_t id;             /* of the function that returns here */
	uint32_t next;           /* with the same hash: number + 1, or 0 */
	uint32_t pad;
};
_Static_assert(sizeof(struct trampoline) == TRAMPOLINE_BYTES, "as its code");

/* The trampoline that any word is the address of, or NULL. */
static inline const struct trampoline *trampoline_at(uint64_t word)
{
	const uint64_t offset = word - rt.trampolines;

	if (offset >= TRAMPOLINE_BLOCK_BYTES || !rt.trampolines ||
	    offset < TRAMPOLINE_HEAD_BYTES || offset % TRAMPOLINE_BYTES)
		return NULL;
	return (const struct trampoline *)(rt.trampoline_records + offset);
}

/* Whether a slot is a trampoline's, not to be changed. */
static inline int trampoline_has(const struct shadow_slot *slot)
{
	return rt.trampolines &&
	       (uintptr_t)slot - rt.trampoline_records < TRAMPOLINE_BLOCK_BYTES;
}

/* Whether a pc is in the code of one. */
static inline int trampoline_is_pc(uint64_t pc)
{
	return rt.trampolines && pc - rt.trampolines < TRAMPOLINE_BLOCK_BYTES;
}

#endif
