/* SPDX-License-Identifier: MIT */
/*
 * What an instruction does to the stack of its function, where no unwind
 * information says so: how far down the stack pointer is, and whether the return
 * address is looked at.
 */
#ifndef CLEW_DISASM_STACK_H
#define CLEW_DISASM_STACK_H

#include <stdint.h>

#include "disasm/decode.h"

#define STACK_UNKNOWN INT32_MIN

/* Bytes from where the return address is down to a register. */
struct stack {
	int32_t height; /* rsp, STACK_UNKNOWN where it was aligned, say */
	int32_t frame;  /* rbp, STACK_UNKNOWN if that is none */
};

enum stack_use {
	STACK_IS_KEPT,      /* and *stack is what it is behind it */
	STACK_IS_LOOKED_AT, /* the return address is read, written, pointed to */
	STACK_IS_UNREADABLE, /* nobody knows */
};

/* The instruction `insn` at `code`. A return must find the stack as it was. */
enum stack_use stack_step(const struct decoder *decoder, const uint8_t *code,
			  const struct insn *insn, struct stack *stack);

#endif
