/* SPDX-License-Identifier: MIT */
/*
 * Code that is watched, not hooked: before it goes on, somebody hears of it.
 *
 *	site			probe
 *	jmp probe -------->	rdi: where a leap will land; else its own
 *				call *%fs:HOT_LEAP, HOT_LANDS or HOT_RAISES
 *				the displaced instructions
 *
 * Takes a stub's place in stub memory, and what finds its way in there by
 * address finds a kind and a key where stubs have theirs.
 */
#ifndef CLEW_STUBS_PROBE_H
#define CLEW_STUBS_PROBE_H

#include "preload/stubs/stub.h"

/*
 * Write at `at` (where it will run) the probe of a leap (disasm/leap.h)
 * that stands at pc. 0, or -errno from relocate().
 */
int probe_write_leap(const struct stub_constants *constants,
		     const struct decoder *decoder, uint32_t function,
		     uint64_t pc, uint8_t displaced_bytes, uint8_t *at);

/* The same for libgcc's _Unwind_SetIP() (image/unwinder.h). */
int probe_write_lands(const struct stub_constants *constants,
		      const struct decoder *decoder, uint32_t function,
		      uint64_t pc, uint8_t displaced_bytes, uint8_t *at);

/* And for its _Unwind_RaiseException(). */
int probe_write_raises(const struct stub_constants *constants,
		       const struct decoder *decoder, uint32_t function,
		       uint64_t pc, uint8_t displaced_bytes, uint8_t *at);

#endif
