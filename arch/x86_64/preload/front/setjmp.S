/* SPDX-License-Identifier: MIT */
/*
 * In front of the functions that remember a frame to come back to. By then it
 * may have been copied away and back, by whatever code: so the functions that
 * are running get trampolines to return to (trampolines.h), and the id of the
 * innermost is kept beside what remembers (jump_places.h). The C library's own
 * finds the stack and all registers as its caller left them.
 */
	.macro	BEFORE name
	.text
	.globl	\name
	.type	\name, @function
\name:
	.cfi_startproc
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	pushq	%rsi
	.cfi_adjust_cfa_offset 8
	movq	%rdi, %rsi
	leaq	0x10(%rsp), %rdi
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	call	jump_places_note
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rsi
	.cfi_adjust_cfa_offset -8
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*next_\name(%rip)
	.cfi_endproc
	.size	\name, . - \name
	.endm

	BEFORE	setjmp
	BEFORE	_setjmp
	BEFORE	__sigsetjmp
	BEFORE	getcontext

	.section .note.GNU-stack, "", @progbits
