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
 * A function that leaves by a tail call takes the trampoline over as it would
 * a stub's exit, and stubs know both by the same glance: the lowest byte of the
 * address (STUB_EXIT_AT), then the window map. Its caller they have from the
 * shadow; so whoever puts trampolines back on a stack restores that as well
 * (trampolines_settle). To all others it is no stub: see runtime_is_stub().
 */
#ifndef CLEW_HOT_TRAMPOLINE_H
#define CLEW_HOT_TRAMPOLINE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"

/*
 * Code and records are in the same order: each address of a trampoline's cell
 * has its record at an eighth of the offset, rounded down.
 */
#define TRAMPOLINE_CELL_BYTES  256
#define TRAMPOLINE_CODE_AT     (STUB_EXIT_AT % 256)
#define TRAMPOLINE_BYTES       (1 << TRAMPOLINE_SHIFT)
#define TRAMPOLINE_SHIFT       5
#define TRAMPOLINE_CELL_SHIFT  3 /* cell to record */
#define TRAMPOLINE_BLOCK_BYTES (UINT64_C(1) << WINDOW_SHIFT)
#define TRAMPOLINE_HEAD_BYTES                                                  \
	4096 /* an ELF image (preload/stubs/stub_image.h) */
#define TRAMPOLINE_RECORDS_BYTES                                               \
	(TRAMPOLINE_BLOCK_BYTES >> TRAMPOLINE_CELL_SHIFT)

struct trampoline {
	struct shadow_slot slot; /* as the shadow had it; never changed */
	uint64_t id;             /* of the function that returns here */
	uint32_t next;           /* with the same hash: number + 1, or 0 */
	uint32_t pad;
};
_Static_assert(sizeof(struct trampoline) == TRAMPOLINE_BYTES, "rules");
_Static_assert(TRAMPOLINE_CELL_BYTES >> TRAMPOLINE_CELL_SHIFT ==
		       TRAMPOLINE_BYTES,
	       "in the same order");

/* The record for an offset in the block. */
static inline struct trampoline *trampoline_record(uint64_t offset)
{
	return (struct trampoline *)(rt.trampoline_records +
				     (offset >> TRAMPOLINE_CELL_SHIFT &
				      -(uint64_t)TRAMPOLINE_BYTES));
}

/* The trampoline that any word is the address of, or NULL. */
static inline const struct trampoline *trampoline_at(uint64_t word)
{
	const uint64_t offset = word - rt.trampolines;

	if (offset >= TRAMPOLINE_BLOCK_BYTES || !rt.trampolines ||
	    offset < TRAMPOLINE_HEAD_BYTES ||
	    offset % TRAMPOLINE_CELL_BYTES != TRAMPOLINE_CODE_AT)
		return NULL;
	return trampoline_record(offset);
}

/* Whether a slot is a trampoline's, not to be changed. */
static inline int trampoline_has(const struct shadow_slot *slot)
{
	return rt.trampolines && (uintptr_t)slot - rt.trampoline_records <
					 TRAMPOLINE_RECORDS_BYTES;
}

/* Whether a pc is in the code of one. */
static inline int trampoline_is_pc(uint64_t pc)
{
	return rt.trampolines && pc - rt.trampolines < TRAMPOLINE_BLOCK_BYTES;
}

#endif
