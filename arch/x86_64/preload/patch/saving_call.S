/* SPDX-License-Identifier: MIT */
/*
 * divert_saving_call() calls a function while all registers are saved in which
 * the function might leave other values, and with an aligned stack. A compiler
 * that knows the replaced function may keep values in registers that this
 * function does not change, and aligns the stack only as far as it needs.
 *
 * Pads come here by a jump (jump_encode_saving()). %rax is the address of the
 * function, the stack has the former %rax, then the return address. The upper
 * halves of vector registers are not saved: the functions of an agent library
 * do not use them.
 */
	.text
	.globl	divert_saving_call
	.hidden	divert_saving_call
	.type	divert_saving_call, @function
divert_saving_call:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset rbp, -24
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	subq	$16 * 16, %rsp
	andq	$-16, %rsp
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movaps	%xmm\i, 16 * \i(%rsp)
	.endr
	movq	%rax, %r11
	movq	8(%rbp), %rax
	call	*%r11
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movaps	16 * \i(%rsp), %xmm\i
	.endr
	leaq	-64(%rbp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rbp
	.cfi_def_cfa rsp, 16
	leaq	8(%rsp), %rsp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	divert_saving_call, . - divert_saving_call

	.section .note.GNU-stack, "", @progbits
