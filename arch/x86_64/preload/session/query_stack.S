/* SPDX-License-Identifier: MIT */
/*
 * Queries the alternate signal stack of the calling thread by sigaltstack(). A
 * thread can do this only for itself.
 *
 * `clew attach` makes each stopped thread execute this code, one after the
 * other. attach_stack_query (struct wire_stack_query) contains the former
 * values of the registers that are used. The controller stops the thread after
 * the first system call and restores all registers. If the controller is
 * killed, or waits in vain for a thread that gets no processor, the thread
 * restores them itself and continues. The code does not change the stack, which
 * may have any size, nor the flags.
 */
#include <asm/unistd.h>

/* struct wire_stack_query */
#define STACK   0
#define SIGNALS 24
#define RAX     32
#define RCX     40
#define RDX     48
#define RSI     56
#define RDI     64
#define R10     72
#define R11     80
#define RIP     88
#define BYTES   96

#define CODE_BYTES 128 /* WIRE_ATTACH_QUERY_BYTES */

#define SETMASK 2 /* SIG_SETMASK */

	.text
	.globl	attach_query_stack
	.hidden	attach_query_stack
	.hidden	attach_stack_query
	.type	attach_query_stack, @function
attach_query_stack:
	movl	$__NR_sigaltstack, %eax
	movl	$0, %edi
	leaq	attach_stack_query+STACK(%rip), %rsi
	syscall
	movl	$__NR_rt_sigprocmask, %eax
	movl	$SETMASK, %edi
	leaq	attach_stack_query+SIGNALS(%rip), %rsi
	movl	$0, %edx
	movl	$8, %r10d
	syscall
	movq	attach_stack_query+RAX(%rip), %rax
	movq	attach_stack_query+RCX(%rip), %rcx
	movq	attach_stack_query+RDX(%rip), %rdx
	movq	attach_stack_query+RSI(%rip), %rsi
	movq	attach_stack_query+RDI(%rip), %rdi
	movq	attach_stack_query+R10(%rip), %r10
	movq	attach_stack_query+R11(%rip), %r11
	jmp	*attach_stack_query+RIP(%rip)
	.org	attach_query_stack + CODE_BYTES, 0xcc
	.size	attach_query_stack, . - attach_query_stack

	.bss
	.globl	attach_stack_query
	.type	attach_stack_query, @object
	.balign	8
attach_stack_query:
	.zero	BYTES
	.size	attach_stack_query, BYTES

	.section .note.GNU-stack, "", @progbits
