/* SPDX-License-Identifier: MIT */
/*
 * clew's wrappers of dlopen() and dlmopen(). If the path is that of a file with
 * hooked text, the module that the file is a copy of is loaded instead
 * (hooked_files.h). The loader searches according to the caller's return
 * address, so the fronts jump to the loader with the stack and all other
 * arguments unchanged.
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
