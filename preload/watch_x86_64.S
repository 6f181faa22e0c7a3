/* SPDX-License-Identifier: MIT */
/*
 * A thread without libc:
 *
 *	long watch_clone(flags, stack, tid, function)
 *
 * calls function() on the new stack, which does not return. The tid is written
 * there and, if the flags say so, cleared when the thread has ended.
 */
#include <asm/unistd.h>

	.text
	.globl	watch_clone
	.hidden	watch_clone
	.type	watch_clone, @function
watch_clone:
	.cfi_startproc
	movq	%rcx, %r9		/* the kernel keeps it */
	movq	%rdx, %r10
	movl	$__NR_clone, %eax
	syscall
	testq	%rax, %rax
	jz	1f
	ret
	.cfi_undefined rip
1:	xorl	%ebp, %ebp
	call	*%r9
	ud2
	.cfi_endproc
	.size	watch_clone, . - watch_clone

	.section .note.GNU-stack, "", @progbits
