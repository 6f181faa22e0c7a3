/* SPDX-License-Identifier: MIT */
/*
 * The general registers of x86-64 in the order in which a probe's handler finds
 * them on the stack (arch/x86_64/preload/hot/thunks.inc, probe_hit.S), then the
 * stack pointer; and the indexes of those that hold arguments and the result
 * (System V ABI, 3.2.3).
 */
#ifndef CLEW_MACHINE_REGISTERS_H
#define CLEW_MACHINE_REGISTERS_H

/* Index, names of all 64 bits, of 32, 16, and 8. "": it has none. */
#define MACHINE_GENERAL_REGISTERS(X)                                           \
	X(0, "rbx", "ebx", "bx", "bl")                                         \
	X(1, "rbp", "ebp", "bp", "bpl")                                        \
	X(2, "r12", "r12d", "r12w", "r12b")                                    \
	X(3, "r13", "r13d", "r13w", "r13b")                                    \
	X(4, "r14", "r14d", "r14w", "r14b")                                    \
	X(5, "r15", "r15d", "r15w", "r15b")                                    \
	X(7, "r11", "r11d", "r11w", "r11b")                                    \
	X(8, "r10", "r10d", "r10w", "r10b")                                    \
	X(9, "r9", "r9d", "r9w", "r9b")                                        \
	X(10, "r8", "r8d", "r8w", "r8b")                                       \
	X(11, "rsi", "esi", "si", "sil")                                       \
	X(12, "rdx", "edx", "dx", "dl")                                        \
	X(13, "rcx", "ecx", "cx", "cl")                                        \
	X(14, "rax", "eax", "ax", "al")                                        \
	X(15, "rflags", "eflags", "flags", "")                                 \
	X(17, "rdi", "edi", "di", "dil")                                       \
	X(18, "rsp", "esp", "sp", "spl")

/* Words 6 and 16 are no registers of the program. */
#define MACHINE_REGISTERS 19
/* Index of the stack pointer; the registers before it are on the stack. */
#define MACHINE_SP        18

#define MACHINE_ARGUMENTS 17, 11, 12, 13, 10, 9
#define MACHINE_RESULT    14

#endif
