/* SPDX-License-Identifier: MIT */
/*
 * A thread without libc:
 *
 *	long task_clone(flags, stack, tid, function, argument)
 *
 * calls function(argument) on the new stack, which does not return. The tid is
 * written there and, if the flags say so, cleared when the thread has ended.
 */
#include <asm/unistd.h>

	.text
	.globl	task_clone
	.hidden	task_clone
	.type	task_clone, @function
task_clone:
	.cfi_startproc
	movq	%rcx, %r9		/* the kernel keeps both, and takes */
	movq	%rdx, %r10		/* r8 for a thread pointer only if the */
	movl	$__NR_clone, %eax	/* flags say so */
	syscall
	testq	%rax, %rax
	jz	1f
	ret
	.cfi_undefined rip
1:	xorl	%ebp, %ebp
	movq	%r8, %rdi
	call	*%r9
	ud2
	.cfi_endproc
	.size	task_clone, . - task_clone

	.section .note.GNU-stack, "", @progbits
