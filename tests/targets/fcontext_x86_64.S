/* SPDX-License-Identifier: MIT */
/*
 * See fcontext.h. The layout of a context that does not run, from its stack
 * pointer up:
 *
 *	0x00 mxcsr, x87 control word	0x20 r15
 *	0x08 r12			0x28 rbx: the entry, if it has not begun
 *	0x10 r13			0x30 rbp: finish, if it has not begun
 *	0x18 r14			0x38 address to continue at
 */
#define FRAME_BYTES 0x38

	.macro	SAVE
	leaq	-FRAME_BYTES(%rsp), %rsp
	stmxcsr	(%rsp)
	fnstcw	4(%rsp)
	movq	%r12, 0x08(%rsp)
	movq	%r13, 0x10(%rsp)
	movq	%r14, 0x18(%rsp)
	movq	%r15, 0x20(%rsp)
	movq	%rbx, 0x28(%rsp)
	movq	%rbp, 0x30(%rsp)
	.endm

	.macro	RESTORE
	ldmxcsr	(%rsp)
	fldcw	4(%rsp)
	movq	0x08(%rsp), %r12
	movq	0x10(%rsp), %r13
	movq	0x18(%rsp), %r14
	movq	0x20(%rsp), %r15
	movq	0x28(%rsp), %rbx
	movq	0x30(%rsp), %rbp
	.endm

	/* Sets {from, data} as the result, and as the entry's argument. */
	.macro	ANSWER
	movq	%rsi, %rdx
	movq	%rax, %rdi
	.endm

	.macro	BEGIN	name
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
	.endm

	.macro	END	name
	.size	\name, . - \name
	.endm

	.text

	BEGIN	jump_fcontext
	SAVE
	movq	%rsp, %rax
	movq	%rdi, %rsp
	movq	FRAME_BYTES(%rsp), %r8
	RESTORE
	leaq	FRAME_BYTES + 8(%rsp), %rsp
	ANSWER
	jmp	*%r8
	END	jump_fcontext

	BEGIN	ontop_fcontext
	movq	%rdx, %r8
	SAVE
	movq	%rsp, %rax
	movq	%rdi, %rsp
	RESTORE
	leaq	FRAME_BYTES(%rsp), %rsp
	ANSWER
	jmp	*%r8
	END	ontop_fcontext

	BEGIN	make_fcontext
	movq	%rdi, %rax
	andq	$-16, %rax
	leaq	-FRAME_BYTES - 8(%rax), %rax
	stmxcsr	(%rax)
	fnstcw	4(%rax)
	movq	%rdx, 0x28(%rax)
	leaq	finish(%rip), %rcx
	movq	%rcx, 0x30(%rax)
	leaq	trampoline(%rip), %rcx
	movq	%rcx, FRAME_BYTES(%rax)
	ret
trampoline:
	pushq	%rbp
	jmp	*%rbx
finish:
	ud2				/* entries must not return */
	END	make_fcontext

	BEGIN	popping_jump
	.hidden	popping_jump
	.cfi_startproc
	SAVE
	.cfi_adjust_cfa_offset FRAME_BYTES
	movq	%rsp, %rax
	movq	%rdi, %rsp
	RESTORE
	leaq	FRAME_BYTES(%rsp), %rsp
	.cfi_adjust_cfa_offset -FRAME_BYTES
	popq	%r8
	.cfi_adjust_cfa_offset -8
	.cfi_register %rip, %r8
	ANSWER
	jmp	*%r8
	.cfi_endproc
	END	popping_jump

	BEGIN	loading_jump
	.hidden	loading_jump
	.cfi_startproc
	SAVE
	.cfi_adjust_cfa_offset FRAME_BYTES
	movq	%rsp, %rax
	movq	%rdi, %rsp
	movq	FRAME_BYTES(%rsp), %r8
	RESTORE
	leaq	FRAME_BYTES + 8(%rsp), %rsp
	.cfi_adjust_cfa_offset -FRAME_BYTES - 8
	ANSWER
	jmp	*%r8
	.cfi_endproc
	END	loading_jump

	/* In no symbol table once the file is stripped. */
	BEGIN	unseen_jump
	.hidden	unseen_jump
	SAVE
	movq	%rsp, %rax
	movq	%rdi, %rsp
	movq	FRAME_BYTES(%rsp), %r8
	RESTORE
	leaq	FRAME_BYTES + 8(%rsp), %rsp
	ANSWER
	jmp	*%r8
	END	unseen_jump

	.section .note.GNU-stack, "", @progbits
