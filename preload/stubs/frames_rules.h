/* SPDX-License-Identifier: MIT */
/*
 * The unwind information of stubs (CFI in .eh_frame). An unwinder finds a
 * stub's address where a hooked function's return address was; the rules lead
 * from that address to the function's caller: they read the return address in
 * the shadow stack (hot/shadow.h).
 */
#ifndef CLEW_STUBS_FRAMES_RULES_H
#define CLEW_STUBS_FRAMES_RULES_H

#include <stddef.h>
#include <stdint.h>

#define FRAMES_RULES_BYTES 640 /* maximum */

enum frames_rules_for {
	FRAMES_FOR_ALL,
	/* Without addresses of this process: rules without shadow in pieces. */
	FRAMES_FOR_FILES,
	FRAMES_FOR_LIBGCC, /* for libgcc, with an odd CFA */
	/*
	 * Like the value above, but only for pcs at which a stub waits for its
	 * function to return.
	 */
	FRAMES_FOR_LIBGCC_THROWING,
	FRAMES_OF_TRAMPOLINES, /* for trampolines (hot/trampoline.h) */
	FRAMES_OF_TRAMPOLINES_FOR_LIBGCC,
};

/*
 * Writes an .eh_frame section that describes the addresses [start, start +
 * bytes). With FRAMES_FOR_FILES they are relative to the section. Returns the
 * offset of the FDE. Call it after the shadow is reserved.
 */
size_t frames_rules_write(uint8_t *at, enum frames_rules_for audience,
			  uint64_t start, uint64_t bytes);

/*
 * Returns whether a stub waits for its function to return at this pc, which is
 * one less than the return address. It does in every stub's frame that no
 * signal has interrupted. The general rule would also serve these frames, but
 * double the cost of a throw.
 */
int frames_rules_is_waiting(uint64_t pc);

#endif
