/* SPDX-License-Identifier: MIT */
/*
 * How a stub's code is changed after it was copied from its template
 * (hot/stub_template.inc): what a guarded stub tests becomes another test.
 */
#ifndef CLEW_STUBS_STUB_EDITS_H
#define CLEW_STUBS_STUB_EDITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/hot/layout.h"

/* movabs $cell, %r11; jmp *(%r11): which no callee has arguments in. */
static inline void stub_put_jump_through(uint8_t *at, const uint64_t *cell)
{
	static const uint8_t load[] = { 0x49, 0xbb },
			     jump[] = { 0x41, 0xff, 0x23 };
	const uint64_t address = (uintptr_t)cell;

	memcpy(at, load, sizeof(load));
	memcpy(at + sizeof(load), &address, sizeof(address));
	memcpy(at + sizeof(load) + sizeof(address), jump, sizeof(jump));
}

/*
 * From glance_at on, where a stub is guarded:
 *
 *	cmpb $STUB_EXIT_AT % 256, %cl	->	cmpb $0, %cl
 *	je L(tail)			->	jae L(tail)
 *
 * With one of both it is still a glance: what it sends to L(tail) without need,
 * or fails to send there before the stub is guarded, comes to no harm.
 */
#define STUB_GLANCE_IMMEDIATE_AT 2
#define STUB_GLANCE_CONDITION_AT 4
#define STUB_GLANCE_GUARDED      0x83 /* second byte of a jae rel32 */

/* The first byte of a short jump that is always made (HOLE_NESTS). */
#define STUB_JUMPS_ALWAYS 0xeb

#endif
