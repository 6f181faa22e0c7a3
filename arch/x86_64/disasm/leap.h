/* SPDX-License-Identifier: MIT */
/*
 * Leaps: jumps to another frame without a library function, as in
 * __builtin_longjmp() of gcc and clang and in hand-written equivalents:
 *
 *	mov	0x10(%rax), %rsp	the frame to land in
 *	mov	%rcx, %rbp		optional
 *	jmp	*%rdx
 *
 * The last two operands may also be in memory, as in libgo's __go_setcontext(),
 * Free Pascal's fpc_longjmp(), and musl's longjmp():
 *
 *	mov	0x30(%rdi), %rsp
 *	jmp	*0x38(%rdi)
 *
 * At the end of glibc's longjmp() the demangled rsp is in a register:
 *
 *	mov	%r8, %rsp
 *	mov	%r9, %rbp
 *	jmp	*%rdx
 */
#ifndef CLEW_DISASM_LEAP_H
#define CLEW_DISASM_LEAP_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"

#define LEAP_MAX_BYTES 24

/*
 * Returns the length of the leap at `code`, or 0. *load_bytes is the length of
 * its first mov.
 */
unsigned int leap_read(const uint8_t *code, size_t bytes,
		       unsigned int *load_bytes);

/*
 * Writes to `out`, for execution at out_pc, code that loads into rdi the value
 * that the leap at pc loads into rsp. Returns the number of bytes, or -errno as
 * relocate().
 */
int leap_write_target(const struct decoder *decoder, const uint8_t *code,
		      uint64_t pc, uint8_t *out, size_t out_size,
		      uint64_t out_pc);

/*
 * Writes to `out`, for execution before the leap at `code`, an instruction that
 * pushes the leap's target, or 0 if the target is in memory. Returns the number
 * of bytes, at most LEAP_PUSH_MAX_BYTES.
 */
#define LEAP_PUSH_MAX_BYTES 2
unsigned int leap_write_push(const uint8_t *code, uint8_t *out);

#endif
