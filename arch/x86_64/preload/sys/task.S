/* SPDX-License-Identifier: MIT */
/*
 * Creates a thread without libc:
 *
 *	long task_clone(flags, stack, tid, function, argument, block)
 *
 * Calls function(argument) on the new stack, with the block as thread pointer,
 * and does not return in the new thread. If the flags request this, the kernel
 * stores the tid in *tid, and clears it when the thread has ended.
 */
#include <asm/unistd.h>

	.text
	.globl	task_clone
	.hidden	task_clone
	.type	task_clone, @function
task_clone:
	.cfi_startproc
	movq	%rcx, -16(%rsi)		/* for the new thread */
	movq	%r8, -8(%rsi)
	subq	$16, %rsi
	movq	%rdx, %r10
	movq	%r9, %r8
	movl	$__NR_clone, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
	.cfi_undefined rip
1:	xorl	%ebp, %ebp
	popq	%rax
	popq	%rdi
	call	*%rax
	ud2
	.cfi_endproc
	.size	task_clone, . - task_clone

	.section .note.GNU-stack, "", @progbits
