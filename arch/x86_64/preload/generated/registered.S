/* SPDX-License-Identifier: MIT */
/*
 * Functions that replace __jit_debug_register_code(), one for each module that
 * has it. A compiler that has seen the original, empty function may keep values
 * in any register, and does not align the stack for the call. Therefore all
 * registers are preserved; vector registers are not used (-mgeneral-regs-only).
 */
	.text
	.macro	entry index
	.globl	registered_enter_\index
	.hidden	registered_enter_\index
	.type	registered_enter_\index, @function
registered_enter_\index:
	.cfi_startproc
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	movl	$\index, %edi
	jmp	registered_enter
	.cfi_endproc
	.size	registered_enter_\index, . - registered_enter_\index
	.endm

	entry	0
	entry	1
	entry	2
	entry	3

	.type	registered_enter, @function
registered_enter:
	.cfi_startproc
	.cfi_def_cfa_offset 16
	pushq	%rbp
	.cfi_def_cfa_offset 24
	.cfi_offset rbp, -24
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	andq	$-16, %rsp
	call	registration_stand_in
	leaq	-64(%rbp), %rsp
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popq	%rbp
	.cfi_def_cfa rsp, 16
	popq	%rdi
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	registered_enter, . - registered_enter

	.section .note.GNU-stack, "", @progbits
