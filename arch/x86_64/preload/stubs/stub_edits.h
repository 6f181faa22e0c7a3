/* SPDX-License-Identifier: MIT */
/*
 * Changes to a stub's code after it is copied from its template
 * (hot/stub_template.inc): a guarded stub has another test.
 */
#ifndef CLEW_STUBS_STUB_EDITS_H
#define CLEW_STUBS_STUB_EDITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "preload/hot/layout.h"

/* Writes movabs $cell, %r11; jmp *(%r11). No callee has an argument in r11. */
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
 * The change of a guarded stub, at glance_at. A stub with only one of the two
 * changes still works: unnecessary jumps to L(tail), and missing ones before
 * the stub is guarded, do no harm.
 *
 *	cmpb $STUB_EXIT_AT % 256, %cl	->	cmpb $0, %cl
 *	je L(tail)			->	jae L(tail)
 */
#define STUB_GLANCE_IMMEDIATE_AT 2
#define STUB_GLANCE_CONDITION_AT 4
#define STUB_GLANCE_GUARDED      0x83 /* second byte of a jae rel32 */

/* First byte of an unconditional short jump (HOLE_NESTS). */
#define STUB_JUMPS_ALWAYS 0xeb

#endif
