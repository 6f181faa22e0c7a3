/* SPDX-License-Identifier: MIT */
/*
 * Code that switches to another stack.
 *
 * Such code sets the stack pointer to a value from elsewhere. All other code
 * that sets the stack pointer restores a saved value, at the end of a scope
 * with an array of variable length or of a function with an aligned stack:
 *
 *	mov %rsp, %rbx ... mov %rbx, %rsp
 *	mov %rsp, -0x58(%rbp) ... mov -0x58(%rbp), %rsp
 *
 * Most code adds a distance to the stack pointer, or restores it from the frame
 * pointer.
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
