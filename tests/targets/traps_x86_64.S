/* SPDX-License-Identifier: MIT */
/*
 * A function into which no jump fits: it has three bytes, and the first bytes
 * of the next function are replaced also. Within the reach of a short jump
 * there is no padding and no function with room for two jumps.
 */
	.text
	.p2align 4
	.skip	160, 0xc3
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
	.skip	160, 0xc3

	.section .note.GNU-stack, "", @progbits
