/* SPDX-License-Identifier: MIT */
/*
 * Front of _Unwind_RaiseException(), which starts unwinding at its caller's
 * frame. Therefore the front leaves no frame.
 */
	.text
	.globl	_Unwind_RaiseException
	.type	_Unwind_RaiseException, @function
_Unwind_RaiseException:
	.cfi_startproc
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	leaq	8(%rsp), %rsi
	call	landing_raise
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	jmp	*%rax
	.cfi_endproc
	.size	_Unwind_RaiseException, . - _Unwind_RaiseException

	.section .note.GNU-stack, "", @progbits
