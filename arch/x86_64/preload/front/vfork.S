/* SPDX-License-Identifier: MIT */
/*
 * vfork() for hooked programs.
 *
 * The child runs in the parent's memory, on its stack and with its thread
 * pointer, until it execs or exits. The functions that are active in the child
 * then never return, so the parent would continue with the child's id.
 * Therefore this vfork() stores the id in a register that the kernel preserves
 * for the parent, as libc does with the return address. Calls in the child
 * count in the parent's recording. A filter of system calls that the child may
 * have installed does not affect the parent.
 */
#include <asm/unistd.h>

#include "preload/hot/layout.h"

	.text
	.globl	vfork
	.type	vfork, @function
vfork:
	.cfi_startproc
	movq	hot@gottpoff(%rip), %rdx
	movq	%fs:HOT_ID(%rdx), %rsi
	/* the return address; the child will overwrite it on the stack */
	popq	%rdi
	.cfi_adjust_cfa_offset -8
	.cfi_register rip, rdi
	movl	$__NR_vfork, %eax
	syscall
	pushq	%rdi
	.cfi_adjust_cfa_offset 8
	.cfi_offset rip, -8
	testl	%eax, %eax
	jz	1f
	movq	%rsi, %fs:HOT_ID(%rdx)
	/*
	 * In a trace: closes the window, so that a context is written next,
	 * because the child's calls have written to the packet.
	 */
	movq	$0, %fs:HOT_TRACE_SPAN(%rdx)
	movq	$0, %fs:HOT_TRACE_LIMIT(%rdx)
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	filter_after_vfork
	popq	%rax
	.cfi_adjust_cfa_offset -8
	testl	%eax, %eax
	js	2f
1:	ret
2:	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movl	$-1, %eax
	ret
	.cfi_endproc
	.size	vfork, . - vfork

	.section .note.GNU-stack, "", @progbits
