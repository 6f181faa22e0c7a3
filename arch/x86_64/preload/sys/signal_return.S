/* SPDX-License-Identifier: MIT */
/*
 * The return address of clew's signal handlers. Unwinders and debuggers
 * recognize these exact instructions if nothing describes them. Therefore there
 * is no .cfi here, and a nop precedes them, because unwinders look up the byte
 * before a return address.
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

/*
 * void signal_change_mask(uint64_t mask)
 *
 * Sets the thread's signal mask by rt_sigreturn: builds a struct ucontext with
 * the caller's registers and the new mask, and returns through it as a signal
 * handler would. The alternate stack in it has invalid flags, so the kernel
 * keeps the present one. Without a floating-point state the kernel creates a
 * new one.
 */
#define UC_FLAGS	0
#define UC_STACK_FLAGS	24
#define UC_R12		72
#define UC_R13		80
#define UC_R14		88
#define UC_R15		96
#define UC_RBP		120
#define UC_RBX		128
#define UC_RSP		160
#define UC_RIP		168
#define UC_EFLAGS	176
#define UC_SEGMENTS	184
#define UC_FPSTATE	224
#define UC_MASK		296
#define UC_BYTES	312	/* a multiple of 16, and 8 */
#define UC_HAS_SS	6	/* UC_SIGCONTEXT_SS, UC_STRICT_RESTORE_SS */
#define NO_STACK_FLAGS	4

	.globl	signal_change_mask
	.hidden	signal_change_mask
	.type	signal_change_mask, @function
signal_change_mask:
	.cfi_startproc
	movq	(%rsp), %rax
	leaq	8(%rsp), %rcx
	pushfq
	popq	%rdx
	subq	$UC_BYTES, %rsp
	.cfi_adjust_cfa_offset UC_BYTES
	movq	%rax, UC_RIP(%rsp)
	movq	%rcx, UC_RSP(%rsp)
	movq	%rdx, UC_EFLAGS(%rsp)
	movq	%rdi, UC_MASK(%rsp)
	movq	%rbx, UC_RBX(%rsp)
	movq	%rbp, UC_RBP(%rsp)
	movq	%r12, UC_R12(%rsp)
	movq	%r13, UC_R13(%rsp)
	movq	%r14, UC_R14(%rsp)
	movq	%r15, UC_R15(%rsp)
	movq	$UC_HAS_SS, UC_FLAGS(%rsp)
	movl	%cs, %eax
	movl	%eax, UC_SEGMENTS(%rsp)
	movl	%ss, %eax
	shll	$16, %eax
	movl	%eax, UC_SEGMENTS + 4(%rsp)
	movq	$0, UC_FPSTATE(%rsp)
	movl	$NO_STACK_FLAGS, UC_STACK_FLAGS(%rsp)
	jmp	signal_return
	.cfi_endproc
	.size	signal_change_mask, . - signal_change_mask

	.section .note.GNU-stack, "", @progbits
