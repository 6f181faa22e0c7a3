/* SPDX-License-Identifier: MIT */
/*
 * Fronts of the functions that store a frame to return to. Before the jump,
 * other code may copy the frame away and back. Therefore the active functions
 * get trampolines as return addresses (trampolines.h), and the id of the
 * innermost function is stored for the jump buffer (jump_places.h). libc's
 * function gets the stack and all registers of its caller.
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
	BEFORE	sigsetjmp
	BEFORE	getcontext

	.section .note.GNU-stack, "", @progbits
