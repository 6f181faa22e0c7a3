/* SPDX-License-Identifier: MIT */
/*
 * The general registers of x86-64 in the order of their DWARF numbers, and the
 * numbers of those that hold arguments (System V ABI, 3.6.2 and 3.2.3).
 */
#ifndef CLEW_MACHINE_DWARF_REGISTERS_H
#define CLEW_MACHINE_DWARF_REGISTERS_H

#define MACHINE_DWARF_REGISTERS                                                \
	"$rax", "$rdx", "$rcx", "$rbx", "$rsi", "$rdi", "$rbp", "$rsp", "$r8", \
		"$r9", "$r10", "$r11", "$r12", "$r13", "$r14", "$r15"

#define MACHINE_DWARF_ARGUMENTS 5, 4, 1, 2, 8, 9

/*
 * Size of the red zone below a function's stack pointer, to which signal
 * handlers do not write.
 */
#define MACHINE_RED_ZONE_BYTES 128

#endif
