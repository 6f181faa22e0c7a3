/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler of ours returns to. Unwinders and debuggers know these
 * very instructions, if nothing describes them: so there is no .cfi here, and
 * a nop in front, because they look up the byte before a return address.
 */
#include <asm/unistd.h>

	.text
	nop
	.globl	signal_return
	.hidden	signal_return
	.type	signal_return, @function
signal_return:
	movq	$__NR_rt_sigreturn, %rax
	syscall
	.size	signal_return, . - signal_return

	.section .note.GNU-stack, "", @progbits
