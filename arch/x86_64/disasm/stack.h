/* SPDX-License-Identifier: MIT */
/*
 * Tracks an instruction's effect on the stack of a function without unwind
 * information: the height of the stack pointer, and whether the return address
 * is accessed.
 */
#ifndef CLEW_DISASM_STACK_H
#define CLEW_DISASM_STACK_H

#include <stdint.h>

#include "disasm/decode.h"

#define STACK_UNKNOWN INT32_MIN

/* Bytes from the return address's slot down to each register. */
struct stack {
	int32_t height; /* rsp; STACK_UNKNOWN after an alignment, for example */
	int32_t frame;  /* rbp; STACK_UNKNOWN if it is no frame pointer */
};

enum stack_use {
	STACK_IS_KEPT, /* *stack is valid after the instruction */
	/* The return address is read, written, or pointed to. */
	STACK_IS_LOOKED_AT,
	STACK_IS_UNREADABLE, /* the effect on the stack is unknown */
};

/*
 * Updates *stack for the instruction `insn` at `code`. A return with another
 * height than 0 is STACK_IS_UNREADABLE.
 */
enum stack_use stack_step(const struct decoder *decoder, const uint8_t *code,
			  const struct insn *insn, struct stack *stack);

#endif
