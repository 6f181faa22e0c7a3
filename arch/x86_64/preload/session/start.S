/* SPDX-License-Identifier: MIT */
/*
 * clew's wrapper of __libc_start_main(), which the _start of programs calls:
 * the last code of clew before main(). The wrapper passes its arguments on, and
 * jumps to libc's function, so that no frame of clew stays on the stack.
 */
	.text
	.globl	__libc_start_main
	.type	__libc_start_main, @function
__libc_start_main:
	.cfi_startproc
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	pushq	%rdx
	.cfi_adjust_cfa_offset 8
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	pushq	%r8
	.cfi_adjust_cfa_offset 8
	pushq	%r9
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	init_before_main
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%r9
	.cfi_adjust_cfa_offset -8
	popq	%r8
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	popq	%rdx
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*next___libc_start_main(%rip)
	.cfi_endproc
	.size	__libc_start_main, . - __libc_start_main

	.section .note.GNU-stack, "", @progbits
