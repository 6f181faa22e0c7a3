/* SPDX-License-Identifier: MIT */
/*
 * Queries the alternate signal stack of the calling thread by sigaltstack(). A
 * thread can do this only for itself.
 *
 * `clew attach` makes each stopped thread execute this code, one after the
 * other. attach_asked (struct wire_asked) contains the former values of the
 * registers that are used. The controller stops the thread after the first
 * system call and restores all registers. If the controller is killed, or waits
 * in vain for a thread that gets no processor, the thread restores them itself
 * and continues. The code does not change the stack, which may have any size,
 * nor the flags.
 */
#include <asm/unistd.h>

/* struct wire_asked */
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

#define CODE_BYTES 128 /* WIRE_ATTACH_ASK_BYTES */

#define SETMASK 2 /* SIG_SETMASK */

	.text
	.globl	attach_ask_stack
	.hidden	attach_ask_stack
	.hidden	attach_asked
	.type	attach_ask_stack, @function
attach_ask_stack:
	movl	$__NR_sigaltstack, %eax
	movl	$0, %edi
	leaq	attach_asked+STACK(%rip), %rsi
	syscall
	movl	$__NR_rt_sigprocmask, %eax
	movl	$SETMASK, %edi
	leaq	attach_asked+SIGNALS(%rip), %rsi
	movl	$0, %edx
	movl	$8, %r10d
	syscall
	movq	attach_asked+RAX(%rip), %rax
	movq	attach_asked+RCX(%rip), %rcx
	movq	attach_asked+RDX(%rip), %rdx
	movq	attach_asked+RSI(%rip), %rsi
	movq	attach_asked+RDI(%rip), %rdi
	movq	attach_asked+R10(%rip), %r10
	movq	attach_asked+R11(%rip), %r11
	jmp	*attach_asked+RIP(%rip)
	.org	attach_ask_stack + CODE_BYTES, 0xcc
	.size	attach_ask_stack, . - attach_ask_stack

	.bss
	.globl	attach_asked
	.type	attach_asked, @object
	.balign	8
attach_asked:
	.zero	BYTES
	.size	attach_asked, BYTES

	.section .note.GNU-stack, "", @progbits
