/* SPDX-License-Identifier: MIT */
/*
 * setjmp() and longjmp() as in runtimes of languages, without unwind
 * information: Free Pascal's, which jumps to an address in memory; and, in the
 * library, libgo's, which has the address in a register and symbols without
 * type and size.
 */
	.text
	.globl	leaps_set
leaps_set:
	movq	%rbx, 0x08(%rdi)
	movq	%rbp, (%rdi)
	movq	%r12, 0x10(%rdi)
	movq	%r13, 0x18(%rdi)
	movq	%r14, 0x20(%rdi)
	movq	%r15, 0x28(%rdi)
	movq	(%rsp), %rax
	movq	%rax, 0x38(%rdi)
	leaq	0x8(%rsp), %rax
	movq	%rax, 0x30(%rdi)
	xorl	%eax, %eax
	ret
#ifndef IS_LIBRARY
	.type	leaps_set, @function
	.size	leaps_set, . - leaps_set
#endif

	.globl	leaps_jump
leaps_jump:
	movq	(%rdi), %rbp
	movq	0x08(%rdi), %rbx
	movq	0x10(%rdi), %r12
	movq	0x18(%rdi), %r13
	movq	0x20(%rdi), %r14
	movq	0x28(%rdi), %r15
	movl	$1, %eax
	movq	0x30(%rdi), %rsp
#ifdef IS_LIBRARY
	movq	0x38(%rdi), %rdx
	jmp	*%rdx
#else
	jmp	*0x38(%rdi)
#endif

	.section .note.GNU-stack, "", @progbits
