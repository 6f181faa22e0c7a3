/* SPDX-License-Identifier: MIT */
/*
 * Switches a thread between two stacks (preload/sys/slices.h). The code on
 * these stacks uses no floating-point numbers, so no control word is saved.
 *
 *	void slices_switch(uint64_t *left, uint64_t entered)
 *
 * Saves the callee-saved registers on the present stack and its stack pointer
 * in *left, and restores those of the stack `entered`.
 */
	.text
	.globl	slices_switch
	.hidden	slices_switch
	.type	slices_switch, @function
slices_switch:
	.cfi_startproc
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	movq	%rsp, (%rdi)
	movq	%rsi, %rsp
	popq	%r15
	.cfi_adjust_cfa_offset -8
	popq	%r14
	.cfi_adjust_cfa_offset -8
	popq	%r13
	.cfi_adjust_cfa_offset -8
	popq	%r12
	.cfi_adjust_cfa_offset -8
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	ret
	.cfi_endproc
	.size	slices_switch, . - slices_switch

/*
 *	uint64_t slices_first(uint64_t top, void (*function)(void))
 *
 * Prepares a stack on which slices_switch() enters the function, without a
 * return address. The six registers are 0, as in fresh memory; top is a
 * multiple of 16.
 */
	.globl	slices_first
	.hidden	slices_first
	.type	slices_first, @function
slices_first:
	.cfi_startproc
	leaq	-64(%rdi), %rax		/* six registers, the function, and 0 */
	movq	%rsi, 48(%rax)
	ret
	.cfi_endproc
	.size	slices_first, . - slices_first

	.section .note.GNU-stack, "", @progbits
