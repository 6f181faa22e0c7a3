/* SPDX-License-Identifier: MIT */
/*
 * A function that no jump fits into: three bytes, then one whose first bytes
 * are replaced themselves.
 */
	.text
	.p2align 4
	.globl	trapped
	.type	trapped, @function
trapped:
	.cfi_startproc
	movl	%edi, %eax
	ret
	.cfi_endproc
	.size	trapped, . - trapped

	.globl	after_trapped
	.type	after_trapped, @function
after_trapped:
	.cfi_startproc
	leal	1(%rdi), %eax
	nopl	8(%rax, %rax)
	ret
	.cfi_endproc
	.size	after_trapped, . - after_trapped

	.section .note.GNU-stack, "", @progbits
