/* SPDX-License-Identifier: MIT */
/*
 * Where the branches of a module lead.
 *
 * A jump may be written over a function's first bytes only if nothing else in
 * the module enters there, and hand-written code does: mempcpy jumps into
 * memmove. So all code is read once, and each byte that a branch leads to, or
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

/* What reading the code, and the unwind information, told of a function. */
struct code_notes {
	uint32_t jumped_from; /* who jumps to its start: index or as above */
	uint32_t jumps_into;  /* into whose middle it jumps */
	uint8_t is_undecodable;
	uint8_t is_called;     /* or its address is taken */
	uint8_t is_jcc_target; /* some jump to its start is conditional */
	uint8_t loops;         /* bit i: it jumps to its own byte i, i = 0..7 */
	uint8_t falls_out;     /* its last instruction leads behind it */
	uint8_t reads_return;  /* it looks at its own return address */
	uint8_t lends_return;  /* it jumps to a function that does */
	uint8_t loads_reader;  /* ... the address of one that a slot contains */
	uint8_t calls_mcount;  /* or another that reads its caller's */
	uint8_t lands_second;  /* exceptions land at its second byte */
	uint8_t lands;         /* it ends as only unwinders do (unwinder.h) */
	uint8_t is_unwinders;  /* it is called by such functions only */
	uint8_t is_pointed;    /* data has its address */
	uint8_t may_call;      /* it does more than jump, and return */
	uint8_t goes_anywhere; /* it jumps indirectly */
	uint8_t has_landings;  /* exceptions land in it */
	/* Of functions without a size of their own (functions.h) only: */
	uint8_t is_run_into;  /* the code before it may go on into it */
	uint8_t is_jumped_to; /* by code without unwind information */
	uint8_t uses_stack;   /* in other ways than to call and return */
};

struct branches {
	struct marks targets;
	struct code_notes *notes; /* one for each function */
	struct references references;
	struct references
		jumps; /* of these, from one's code to another's start */
	struct leaps leaps;
	uint8_t switches; /* some code goes to another stack (switches.h) */
	uint8_t may_map;  /* there is code that may map memory (mappers.h) */
};

/* 0, -ENOMEM or -EBADMSG. */
int branches_find(const struct image *image, const struct decoder *decoder,
		  const struct functions *functions, struct arena *arena,
		  struct branches *out);

typedef int (*insn_test)(const struct insn *with_operands);

/*
 * Whether some instruction of [vaddr, vaddr + bytes), as far as the file has them, is
 * like that, or is not understood.
 */
int branches_some_insn(const struct image *image, const struct decoder *decoder,
		       uint64_t vaddr, uint64_t bytes, insn_test is_like_that);

#endif
