/* SPDX-License-Identifier: MIT */
/*
 * The unwind information of stubs (CFI in .eh_frame): from a stub's address, which
 * an unwinder finds where a hooked function's return address was, to the function's
 * caller, by way of the shadow (hot/shadow.h).
 */
#ifndef CLEW_STUBS_FRAMES_RULES_H
#define CLEW_STUBS_FRAMES_RULES_H

#include <stddef.h>
#include <stdint.h>

#define FRAMES_RULES_BYTES 640 /* at most */

enum frames_rules_for {
	FRAMES_FOR_ALL,
	FRAMES_FOR_FILES,           /* nothing of this process: no pieces */
	FRAMES_FOR_LIBGCC,          /* the CFA is odd */
	FRAMES_FOR_LIBGCC_THROWING, /* ... and stubs wait for a return */
	FRAMES_OF_TRAMPOLINES,      /* instead of stubs (hot/trampoline.h) */
	FRAMES_OF_TRAMPOLINES_FOR_LIBGCC,
};

/*
 * Write an .eh_frame section that describes what is in [start, start + bytes), for
 * FRAMES_FOR_FILES as seen from the section.
 * Returns where in it the FDE is. Call it when the shadow has been reserved.
 */
size_t frames_rules_write(uint8_t *at, enum frames_rules_for whom,
			  uint64_t start, uint64_t bytes);

/*
 * Whether a stub waits for its function to return if an unwinder asks for this
 * pc, which is one less than the return address. That is every stub, but for
 * signals; and evaluating the rule for it is half the cost of a throw.
 */
int frames_rules_is_waiting(uint64_t pc);

#endif
