/* SPDX-License-Identifier: MIT */
/*
 * How to unwind through stubs.
 */
#ifndef CLEW_PRELOAD_FRAMES_RULES_H
#define CLEW_PRELOAD_FRAMES_RULES_H

#include <stddef.h>
#include <stdint.h>

#define FRAMES_RULES_BYTES 640 /* at most */

enum frames_cfa {
	FRAMES_CFA_PLAIN, /* of a stub: the same as its function's */
	FRAMES_CFA_ODD,   /* ... which libgcc cannot cope with */
};

/*
 * Write an .eh_frame section that describes stubs in [start, start + bytes).
 * Returns where in it the FDE is. Call it when the shadow has been reserved.
 */
size_t frames_rules_write(uint8_t *at, enum frames_cfa cfa, uint64_t start,
			  uint64_t bytes);

#endif
