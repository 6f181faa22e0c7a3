/* SPDX-License-Identifier: MIT */
/*
 * Calls the next library's syscall() without a word on the stack, because a
 * child may return on another stack.
 */
	.text
	.globl	syscall_plainly
	.hidden	syscall_plainly
	.type	syscall_plainly, @function
syscall_plainly:
	.cfi_startproc
	movq	next_syscall(%rip), %rax
	testq	%rax, %rax
	jz	1f
	jmp	*%rax

	/*
	 * next_syscall is 0 before clew's constructor runs. The allocator of
	 * another preloaded library may make system calls then.
	 */
1:	movq	%rdi, %rax
	movq	%rsi, %rdi
	movq	%rdx, %rsi
	movq	%rcx, %rdx
	movq	%r8, %r10
	movq	%r9, %r8
	movq	8(%rsp), %r9
	syscall
	cmpq	$-4095, %rax
	jae	2f
	ret
2:	negl	%eax
	pushq	%rax
	.cfi_adjust_cfa_offset 8
	call	__errno_location@PLT
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movl	%ecx, (%rax)
	movq	$-1, %rax
	ret
	.cfi_endproc
	.size	syscall_plainly, . - syscall_plainly

	.section .note.GNU-stack, "", @progbits
