/* SPDX-License-Identifier: MIT */
/*
 * Fronts of dlopen() and dlmopen(). A file with hooked text is loaded as the
 * module over which it is mapped (hooked_files.h). The loader searches
 * according to the caller's return address, so the fronts jump to the loader
 * with the stack and all other arguments unchanged.
 */
	.macro	KEEP register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	RESTORE register
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endm

	.macro	LOADS name, path
	.text
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	KEEP	%rdi
	KEEP	%rsi
	KEEP	%rdx
	movq	\path, %rdi
	call	hooked_files_path
	RESTORE	%rdx
	RESTORE	%rsi
	RESTORE	%rdi
	movq	%rax, \path
	jmp	*next_\name(%rip)
	.cfi_endproc
	.size	\name, . - \name
	.endm

	LOADS	dlopen, %rdi
	LOADS	dlmopen, %rsi

	.section .note.GNU-stack, "", @progbits
