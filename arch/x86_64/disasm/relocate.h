/* SPDX-License-Identifier: MIT */
/* Moves displaced instructions to another address. */
#ifndef CLEW_DISASM_RELOCATE_H
#define CLEW_DISASM_RELOCATE_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"

/* More than relocate() writes for anything that prologue_judge() displaces. */
#define RELOCATE_MAX_BYTES 64

/*
 * Writes to `out`, for execution at out_pc, code equivalent to the whole
 * instructions in the `displaced_bytes` bytes at pc. The code then jumps to pc
 * + displaced_bytes unless execution cannot reach the end. All registers and
 * flags are as after the original. A call pushes the original's return address,
 * so it returns into the original code, not into `out`.
 *
 * Returns the number of bytes, or -errno: -ERANGE if a target exceeds a rel32,
 * -EILSEQ if an instruction cannot be decoded, -EINVAL if one cannot be moved,
 * -ENOSPC if out_size is too small.
 */
int relocate(const struct decoder *decoder, const uint8_t *code,
	     size_t displaced_bytes, uint64_t pc, uint8_t *out, size_t out_size,
	     uint64_t out_pc);

/*
 * Like relocate(), but branches to the first of these instructions lead to
 * again_pc. In relocate() they lead to the copy, because the original is
 * overwritten by the patch.
 */
int relocate_again(const struct decoder *decoder, const uint8_t *code,
		   size_t displaced_bytes, uint64_t pc, uint8_t *out,
		   size_t out_size, uint64_t out_pc, uint64_t again_pc);

#endif
