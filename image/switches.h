/* SPDX-License-Identifier: MIT */
/*
 * Code that goes to another stack.
 *
 * It gives the stack pointer a value from anywhere. Others who write it put back
 * what they have saved, at the end of a scope with an array of variable length
 * or of a function with an aligned stack:
 *
 *	mov %rsp, %rbx ... mov %rbx, %rsp
 *	mov %rsp, -0x58(%rbp) ... mov -0x58(%rbp), %rsp
 *
 * and most move it by distances, or put it back from the frame pointer.
 */
#ifndef CLEW_IMAGE_SWITCHES_H
#define CLEW_IMAGE_SWITCHES_H

#include <stdint.h>

#include "disasm/decode.h"

/* Zero-initialised for each function. */
struct switch_watch {
	uint32_t has_saved; /* bit n: register n has got the stack pointer */
	uint8_t has_saved_in_frame;
};

/* Whether this instruction, the next of the function, goes to another stack. */
int switch_watch_insn(struct switch_watch *watch, const uint8_t *code,
		      const struct insn *insn);

#endif
