/* SPDX-License-Identifier: MIT */
/*
 * Jumps to another frame: those that no library is asked for, __builtin_longjmp()
 * of gcc and clang and whoever writes the like by hand,
 *
 *	mov	0x10(%rax), %rsp	the frame to land in
 *	mov	%rcx, %rbp		perhaps
 *	jmp	*%rdx
 *
 * where the last two may come from memory as well, as in libgo's
 * __go_setcontext(), Free Pascal's fpc_longjmp(), and musl's longjmp(),
 *
 *	mov	0x30(%rdi), %rsp
 *	jmp	*0x38(%rdi)
 *
 * and glibc's own, at the end of longjmp(), which has demangled rsp in a register:
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

/* Bytes of the leap that begins at `code`, or 0. *load_bytes: of its first mov.
 */
unsigned int leap_read(const uint8_t *code, size_t bytes,
		       unsigned int *load_bytes);

/*
 * Write to `out`, to execute at out_pc, what loads rdi as the leap at pc would
 * load rsp. Bytes written, or -errno as relocate() has them.
 */
int leap_write_target(const struct decoder *decoder, const uint8_t *code,
		      uint64_t pc, uint8_t *out, size_t out_size,
		      uint64_t out_pc);

/*
 * Write to `out`, to execute before the leap at `code`, what pushes the address that it
 * will jump to, or 0 where that is in memory. Bytes written, at most
 * LEAP_PUSH_MAX_BYTES.
 */
#define LEAP_PUSH_MAX_BYTES 2
unsigned int leap_write_push(const uint8_t *code, uint8_t *out);

#endif
