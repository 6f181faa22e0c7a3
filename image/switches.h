/* SPDX-License-Identifier: MIT */
/*
 * Code that switches to another stack.
 *
 * A switch sets the stack pointer to a value from elsewhere. Most code adds a
 * distance to the stack pointer, or restores it from the frame pointer. At the
 * end of a scope with an array of variable length, or of a function with an
 * aligned stack, code restores a saved value:
 *
 *	mov %rsp, %rbx ... mov %rbx, %rsp
 *	mov %rsp, -0x58(%rbp) ... mov -0x58(%rbp), %rsp
 */
#ifndef CLEW_IMAGE_SWITCHES_H
#define CLEW_IMAGE_SWITCHES_H

#include <stdint.h>

#include "disasm/decode.h"

/* The caller sets all members to 0 for each function. */
struct switch_watch {
	/* bit n is set if register n contains the saved stack pointer */
	uint32_t has_saved;
	uint8_t has_saved_in_frame;
};

/*
 * Handles the next instruction of the function. Returns whether it switches to
 * another stack.
 */
int switch_watch_insn(struct switch_watch *watch, const uint8_t *code,
		      const struct insn *insn);

#endif
