/* SPDX-License-Identifier: MIT */
/*
 * Finds the targets of a module's branches.
 *
 * A jump may be written over a function's first bytes only if no other code
 * enters there, which hand-written code does: mempcpy jumps into memmove. All
 * code is therefore read once, and each byte that is the target of a branch, or
 * whose address is taken, is marked.
 */
#ifndef CLEW_IMAGE_BRANCHES_H
#define CLEW_IMAGE_BRANCHES_H

#include <stdint.h>

#include "disasm/decode.h"
#include "image/functions.h"
#include "image/leaps.h"
#include "image/marks.h"
#include "image/references.h"

#define BRANCHES_NOBODY  UINT32_MAX
#define BRANCHES_SEVERAL (UINT32_MAX - 1)

/* Properties of a function, from its code and its unwind information. */
struct code_notes {
	/*
	 * The index of the function that jumps to the start of this one, or one
	 * of the constants above: no or several functions do so.
	 */
	uint32_t jumped_from;
	/*
	 * The index of the function into whose middle this one jumps, or one of
	 * the constants above.
	 */
	uint32_t jumps_into;
	uint8_t is_undecodable;
	/*
	 * whether an instruction calls the function, takes its address, or
	 * jumps to its start from code outside of all functions
	 */
	uint8_t is_called;
	/* whether a conditional jump leads to its start */
	uint8_t is_jcc_target;
	/*
	 * bit i is set if the function jumps to its own byte i, for i from 0 to
	 * 7
	 */
	uint8_t loops;
	/* The function's last instruction continues after it. */
	uint8_t falls_out;
	uint8_t reads_return; /* the function reads its own return address */
	/*
	 * The function leaves its return address to another function, which
	 * reads it (lenders.h).
	 */
	uint8_t lends_return;
	/*
	 * The function loads from a slot (reader_slots.h) the address of a
	 * function that reads its own return address.
	 */
	uint8_t loads_reader;
	/*
	 * The function calls mcount or another function that reads its caller's
	 * return address.
	 */
	uint8_t calls_mcount;
	uint8_t lands_second; /* a landing pad is at its second byte */
	/* The function ends by __builtin_eh_return() (unwinder.h). */
	uint8_t lands;
	/*
	 * The function belongs to an unwinder (unwinder_find()): it has
	 * `lands`, or functions of the unwinder call it.
	 */
	uint8_t is_unwinders;
	uint8_t is_pointed; /* data contains its address */
	/*
	 * The function makes system calls, traps, or calls or jumps that leave
	 * its own code.
	 */
	uint8_t may_call;
	uint8_t goes_anywhere; /* the function jumps indirectly */
	uint8_t has_landings;  /* the function has landing pads */
	/*
	 * The following members matter only for functions without a size of
	 * their own (functions.h); is_jumped_to also for functions that were
	 * found (found.h).
	 */
	uint8_t is_run_into; /* the code before it may continue into it */
	/*
	 * Code without an FDE jumps to the function's start; code that was
	 * found does not count.
	 */
	uint8_t is_jumped_to;
	/* The function uses the stack not only by calls and returns. */
	uint8_t uses_stack;
};

struct branches {
	struct marks targets;
	/* an array with an element for each function */
	struct code_notes *notes;
	struct references references;
	/*
	 * The references that are jumps from a function's code to another's
	 * start.
	 */
	struct references jumps;
	struct leaps leaps;
	/* Some code of the module switches stacks (switches.h). */
	uint8_t switches;
	uint8_t may_map; /* some code may map memory (mappers.h) */
};

/* Finds the branches of a module. Returns 0, -ENOMEM or -EBADMSG. */
int branches_find(const struct image *image, const struct decoder *decoder,
		  const struct functions *functions, struct arena *arena,
		  struct branches *out);

typedef int (*insn_test)(const struct insn *with_operands);

/*
 * Returns whether some instruction of [vaddr, vaddr + bytes), as far as the
 * file contains it, satisfies the test or cannot be decoded.
 */
int branches_some_insn(const struct image *image, const struct decoder *decoder,
		       uint64_t vaddr, uint64_t bytes, insn_test is_like_that);

#endif
