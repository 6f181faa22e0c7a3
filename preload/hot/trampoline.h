/* SPDX-License-Identifier: MIT */
/*
 * Trampolines: return addresses that have a record instead of a shadow slot.
 *
 * The shadow identifies a call by its stack slot. Coroutines on one stack, and
 * continuations, copy a slice of the stack away, run other code there, and copy
 * the slice back. Stubs' addresses return with the slice, but the shadow then
 * belongs to other calls. Therefore each stub's address in such a copy is
 * replaced by the address of a trampoline, code with a record of its own:
 *
 *	stack		copy		  trampoline	      record
 *	stub of f   ->	trampoline 7 -->  rdx = record 7 -->  return address,
 *	other words	other words	  jmp *%fs:...	      ids
 *
 * A trampoline needs no shadow. A copy may be copied further, stored for any
 * time, and returned to any number of times, by any thread. Equal trampolines
 * are one. A return through a trampoline costs a mispredicted return.
 *
 * A function that ends with a tail call passes its trampoline on, like a stub's
 * exit. Stubs recognize both by the lowest byte of the address (STUB_EXIT_AT)
 * and then by the window map, and take the caller from the shadow. Therefore
 * code that restores trampolines to a stack also restores the shadow there
 * (trampolines_settle()). runtime_is_stub() is false for trampolines.
 */
#ifndef CLEW_HOT_TRAMPOLINE_H
#define CLEW_HOT_TRAMPOLINE_H

#include <stddef.h>
#include <stdint.h>

#include "preload/hot/runtime.h"
#include "preload/hot/shadow.h"

/*
 * Each trampoline has a cell of code and a record of an eighth of that size, in
 * the same order. The record of an address in a cell is at the cell's offset
 * divided by 8.
 */
#define TRAMPOLINE_CELL_BYTES 256
#define TRAMPOLINE_CODE_AT    (STUB_EXIT_AT % 256)
#define TRAMPOLINE_BYTES      (1 << TRAMPOLINE_SHIFT)
#define TRAMPOLINE_SHIFT      5
/* Shifts the offset of a cell to that of its record. */
#define TRAMPOLINE_CELL_SHIFT  3
#define TRAMPOLINE_BLOCK_BYTES (UINT64_C(1) << WINDOW_SHIFT)
#define TRAMPOLINE_HEAD_BYTES                                                  \
	4096 /* an ELF image (preload/stubs/stub_image.h) */
#define TRAMPOLINE_RECORDS_BYTES                                               \
	(TRAMPOLINE_BLOCK_BYTES >> TRAMPOLINE_CELL_SHIFT)

struct trampoline {
	struct shadow_slot slot; /* the former shadow slot; never changed */
	uint64_t id;   /* id of the function that returns to this trampoline */
	uint32_t next; /* next with this hash: number + 1, or 0 */
	uint32_t pad;
};
_Static_assert(sizeof(struct trampoline) == TRAMPOLINE_BYTES, "rules");
_Static_assert(TRAMPOLINE_CELL_BYTES >> TRAMPOLINE_CELL_SHIFT ==
		       TRAMPOLINE_BYTES,
	       "in the same order");

/* Returns the record for an offset in the block. */
static inline struct trampoline *trampoline_record(uint64_t offset)
{
	return (struct trampoline *)(rt.trampoline_records +
				     (offset >> TRAMPOLINE_CELL_SHIFT &
				      -(uint64_t)TRAMPOLINE_BYTES));
}

/*
 * Returns the record of the trampoline whose address an arbitrary word is, or
 * NULL.
 */
static inline const struct trampoline *trampoline_at(uint64_t word)
{
	const uint64_t offset = word - rt.trampolines;

	if (offset >= TRAMPOLINE_BLOCK_BYTES || !rt.trampolines ||
	    offset < TRAMPOLINE_HEAD_BYTES ||
	    offset % TRAMPOLINE_CELL_BYTES != TRAMPOLINE_CODE_AT)
		return NULL;
	return trampoline_record(offset);
}

/*
 * Returns whether a slot is part of a trampoline's record, which must not
 * change.
 */
static inline int trampoline_has(const struct shadow_slot *slot)
{
	return rt.trampolines && (uintptr_t)slot - rt.trampoline_records <
					 TRAMPOLINE_RECORDS_BYTES;
}

/* Returns whether a pc is in a trampoline's code. */
static inline int trampoline_is_pc(uint64_t pc)
{
	return rt.trampolines && pc - rt.trampolines < TRAMPOLINE_BLOCK_BYTES;
}

#endif
