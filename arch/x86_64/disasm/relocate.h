/* SPDX-License-Identifier: MIT */
/*
 * Displaced instructions, made to run elsewhere.
 */
#ifndef CLEW_DISASM_RELOCATE_H
#define CLEW_DISASM_RELOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"

/* More than relocate() ever writes for what prologue_judge() displaces. */
#define RELOCATE_MAX_BYTES 64

/*
 * Write to `out`, which will execute at out_pc, what does the same as the
 * `displaced_bytes` bytes of whole instructions that stood at pc, and then
 * jumps back to pc + displaced_bytes unless nothing falls through there.
 * All registers and flags are what the original would have made them. A call
 * leaves the original's return address on the stack: it returns into the
 * original code, not into `out`.
 *
 * Bytes written, or -errno: -ERANGE a target is out of a rel32's reach,
 * -EILSEQ not decodable, -EINVAL an instruction that cannot be moved,
 * -ENOSPC out_size is too small (RELOCATE_MAX_BYTES never is).
 */
int relocate(const struct decoder *decoder, const uint8_t *code,
	     size_t displaced_bytes, uint64_t pc, uint8_t *out, size_t out_size,
	     uint64_t out_pc);

/*
 * The same, with another place where a branch of theirs to their own start leads: in
 * relocate(), to the copy's start, for at the original stands the patch now.
 */
int relocate_again(const struct decoder *decoder, const uint8_t *code,
		   size_t displaced_bytes, uint64_t pc, uint8_t *out,
		   size_t out_size, uint64_t out_pc, uint64_t again_pc);

#endif
