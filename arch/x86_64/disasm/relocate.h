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

#define JMP_REL32_BYTES    5
#define CALL_REL32_BYTES   5

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

/* Encode a 5-byte jump or call at pc: 0 or -ERANGE, `out` then untouched. */
int encode_jmp_rel32(uint8_t out[JMP_REL32_BYTES], uint64_t pc,
		     uint64_t target);
int encode_call_rel32(uint8_t out[CALL_REL32_BYTES], uint64_t pc,
		      uint64_t target);

/* jmp *0(%rip) and the address it reads, in JMP_ABSOLUTE_BYTES: any distance. */
#define JMP_ABSOLUTE_BYTES 14
void encode_jmp_absolute(uint8_t out[JMP_ABSOLUTE_BYTES], uint64_t target);

#endif
