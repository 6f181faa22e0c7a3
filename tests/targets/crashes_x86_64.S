/* SPDX-License-Identifier: MIT */
/*
 * Functions whose first five bytes, which a hook displaces, read memory or
 * call: at once, or after an instruction that has moved the stack pointer.
 */
	.text
	.macro	FUNCTION name
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	.endm

	.macro	END_OF name
	ret
	.cfi_endproc
	.size	\name, . - \name
	.p2align 4
	.endm

	FUNCTION reads_at_once
	movl	(%rdi), %eax
	leal	1(%rax), %eax
	END_OF	reads_at_once

	FUNCTION reads_after_push
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -16
	movq	%rdi, %rbx
	movl	(%rbx), %eax
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	END_OF	reads_after_push

	FUNCTION calls_at_once
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_offset %rbx, -16
	call	show
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbx
	END_OF	calls_at_once

	.section .note.GNU-stack, "", @progbits
