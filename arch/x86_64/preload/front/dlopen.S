/* SPDX-License-Identifier: MIT */
/*
 * clew's wrappers of dlopen() and dlmopen(). If the path is that of a file with
 * hooked text, the module that the file is a copy of is loaded instead
 * (hooked_files.h). The loader searches according to the caller's return
 * address, so the fronts jump to the loader with the stack and all other
 * arguments unchanged.
 *
 * Before glibc 2.34, both functions are in libdl. If it is not loaded at the
 * start, it can still be loaded later as a dependency of a module that libc
 * itself loads, such as one of iconv() or of name resolution.
 */
	.macro	KEEP register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	RESTORE register
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endm

	/* The argument `path` is kept at offset `at` from the stack pointer. */
	.macro	LOADS name, path, at
	.text
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	KEEP	%rdi
	KEEP	%rsi
	KEEP	%rdx
	cmpq	$0, next_\name(%rip)
	jne	1f
	call	next_find
1:	movq	\at(%rsp), %rdi
	call	hooked_files_path
	RESTORE	%rdx
	RESTORE	%rsi
	RESTORE	%rdi
	movq	%rax, \path
	jmp	*next_\name(%rip)
	.cfi_endproc
	.size	\name, . - \name
	.endm

	LOADS	dlopen, %rdi, 16
	LOADS	dlmopen, %rsi, 8

	.section .note.GNU-stack, "", @progbits
