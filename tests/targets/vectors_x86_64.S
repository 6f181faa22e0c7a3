/* SPDX-License-Identifier: MIT */
	.text
	/* (mask, given, reply, found, result): sees the callee's state */
	.globl	vectors_call
	.type	vectors_call, @function
vectors_call:
	.cfi_startproc
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	subq	$512, %rsp
	.cfi_adjust_cfa_offset 512
	fnsave	(%rsp)			/* preserves the control words */
	stmxcsr	128(%rsp)
	movq	%rdi, %rbx
	movq	%r8, %r12
	movq	%rdx, %r13
	movl	%ebx, %eax
	xorl	%edx, %edx
	xrstor64 (%rsi)
	movq	%r13, %rdi
	movq	%rcx, %rsi
	call	vectors_callee
	movl	%ebx, %eax
	xorl	%edx, %edx
	xsave64	(%r12)
	frstor	(%rsp)
	ldmxcsr	128(%rsp)
	addq	$512, %rsp
	.cfi_adjust_cfa_offset -512
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	ret
	.cfi_endproc
	.size	vectors_call, . - vectors_call

	/* (reply, found); the mask is in rbx */
	.type	vectors_callee, @function
vectors_callee:
	.cfi_startproc
	movl	%ebx, %eax
	xorl	%edx, %edx
	xsave64	(%rsi)
	movl	%ebx, %eax
	xorl	%edx, %edx
	xrstor64 (%rdi)
	ret
	.cfi_endproc
	.size	vectors_callee, . - vectors_callee

	.section .note.GNU-stack, "", @progbits
