/* SPDX-License-Identifier: MIT */
/*
 * Handwritten functions for live_test.c. Each begins with instructions that
 * fill the bytes of a jump. The stub of each one counts, executes copies of
 * these instructions, and continues after them.
 */
	.macro	BEGIN name
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	.endm

	/* The part after the displaced bytes. */
	.macro	REST name, bytes
	.globl	\name\()_rest
\name\()_rest:
	.if	\name\()_rest - \name - \bytes
	.error	"another number of bytes"
	.endif
	.endm

	.macro	STUB name
	BEGIN	\name\()_stub
	lock incq \name\()_stubbed(%rip)
	.endm

	.text

	/* Returns 3 n + 7. No half-written instruction computes this. */
	BEGIN	live_sum
	xorl	%eax, %eax
	pushq	%rdi
	popq	%rcx
	pushq	%rcx
	REST	live_sum, 5
	popq	%rax
	leaq	7(%rax,%rax,2), %rax
	ret

	/* Calls read(). While it sleeps, its pc is at byte 4. */
	BEGIN	live_read
	xorl	%eax, %eax
	syscall
	nop
	REST	live_read, 5
	ret

	/* Loops at byte 1 until another thread changes its pc. Returns 1. */
	BEGIN	live_spin
	nop
	.byte	0xeb, 0xfe	/* jmp . */
	nop
	nop
	REST	live_spin, 5
	movl	$1, %eax
	ret

	/* Has ten bytes, for two jumps. Returns 1. */
	BEGIN	live_host
	.rept	10
	nop
	.endr
	REST	live_host, 10
	movl	$1, %eax
	ret

	STUB	live_sum
	xorl	%eax, %eax
	pushq	%rdi
	popq	%rcx
	pushq	%rcx
	jmp	live_sum_rest

	STUB	live_read
	xorl	%eax, %eax
	syscall
	.globl	live_read_stub_asleep
live_read_stub_asleep:
	nop
	jmp	live_read_rest

	STUB	live_spin		/* does not loop */
	jmp	live_spin_rest

	STUB	live_host
	jmp	live_host_rest

	.bss
	.globl	live_sum_stubbed, live_read_stubbed
	.globl	live_spin_stubbed, live_host_stubbed
	.p2align 3
live_sum_stubbed:	.zero	8
live_read_stubbed:	.zero	8
live_spin_stubbed:	.zero	8
live_host_stubbed:	.zero	8

	.section .note.GNU-stack, "", @progbits
