/* SPDX-License-Identifier: MIT */
/*
 * The stack switch of a coroutine library: a function that returns on another
 * stack. Each module has its own copy, in one file.
 */
#ifndef CLEW_TESTS_SWITCH_STACK_H
#define CLEW_TESTS_SWITCH_STACK_H

/* Number of registers that the switch pops before it returns. */
#define SAVED_REGISTERS 6

/*
 * Saves the callee-saved registers, stores sp in *save, and continues at
 * `load`.
 */
#ifdef __cplusplus
extern "C"
#endif
	void
	switch_stack(void **save, void *load)
		__attribute__((visibility("hidden")));

__asm__(".text\n"
	".p2align 4\n"
	".globl switch_stack\n"
	".hidden switch_stack\n"
	".type switch_stack, @function\n"
	"switch_stack:\n"
	".cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %rbx\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r12\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r13\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r14\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	push %r15\n"
	"	.cfi_adjust_cfa_offset 8\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	pop %r15\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r14\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r13\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %r12\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbx\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	pop %rbp\n"
	"	.cfi_adjust_cfa_offset -8\n"
	"	ret\n"
	".cfi_endproc\n"
	".size switch_stack, . - switch_stack\n");

#endif
