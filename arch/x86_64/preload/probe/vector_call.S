/* SPDX-License-Identifier: MIT */
/*
 * vector_call() calls a function while the vector state is saved on the stack:
 * by xsavec, otherwise by xsave, otherwise by fxsave.
 *
 * All enabled state is saved except tiles (2 * 8 KiB, which a program must
 * request) and protection keys, which C does not use. The compact form of
 * xsavec takes at most VECTOR_BYTES. xsave has fixed offsets, so only x87, SSE
 * and AVX are saved: processors without xsavec have no more, except some
 * servers (Knights Landing).
 */
#define VECTOR_BYTES  2688
/* Bytes before the header, which lists the saved parts. */
#define LEGACY_BYTES  512
#define HEADER_BYTES  64
#define HAS_XSAVE     (1 << 27) /* OSXSAVE, CPUID.1:ECX */
#define HAS_XSAVEC    (1 << 1)	/* CPUID.0xD.1:EAX */
#define KEPT_BASIC    0x7	/* x87, SSE, AVX */
/* KEPT_BASIC, the three parts of AVX-512, and the general registers of APX. */
#define KEPT_COMPACT  0x800e7

	.data
	.balign	8
	.local	vector_kept, vector_is_compact
vector_kept:		.long	0	/* 0: there is no xsave */
vector_is_compact:	.long	0

	.text
	.globl	vector_call_begin
	.hidden	vector_call_begin
	.type	vector_call_begin, @function
vector_call_begin:
	.cfi_startproc
	pushq	%rbx
	.cfi_def_cfa_offset 16
	.cfi_offset rbx, -16
	movl	$1, %eax
	xorl	%ecx, %ecx
	cpuid
	testl	$HAS_XSAVE, %ecx
	jz	1f
	movl	$0xd, %eax
	movl	$1, %ecx
	cpuid
	movl	%eax, %ebx
	xorl	%ecx, %ecx
	xgetbv
	andl	$KEPT_COMPACT, %eax
	testl	$HAS_XSAVEC, %ebx
	jnz	2f
	andl	$KEPT_BASIC, %eax
	jmp	3f
2:	movl	$1, vector_is_compact(%rip)
3:	movl	%eax, vector_kept(%rip)
1:	popq	%rbx
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	vector_call_begin, . - vector_call_begin

	.globl	vector_call
	.hidden	vector_call
	.type	vector_call, @function
vector_call:				/* arguments: (argument, function) */
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	subq	$VECTOR_BYTES, %rsp
	andq	$-64, %rsp
	movl	vector_kept(%rip), %eax
	testl	%eax, %eax
	jz	3f
	xorl	%edx, %edx
	.set	word, 0
	/*
	 * Zeroes the header. Otherwise its former content would be taken for a
	 * list of saved parts.
	 */
	.rept	HEADER_BYTES / 8
	movq	%rdx, LEGACY_BYTES + word(%rsp)
	.set	word, word + 8
	.endr
	cmpl	$0, vector_is_compact(%rip)
	je	1f
	xsavec	(%rsp)
	jmp	2f
1:	xsave	(%rsp)
/* x87 is in use: C requires an empty x87 stack */
2:	testb	$1, LEGACY_BYTES(%rsp)
	jz	4f
	fninit
4:	call	*%rsi
	movl	vector_kept(%rip), %eax
	xorl	%edx, %edx
	xrstor	(%rsp)
	leave
	.cfi_remember_state
	.cfi_def_cfa rsp, 8
	ret
	.cfi_restore_state
3:	fxsave	(%rsp)
	fninit
	call	*%rsi
	fxrstor	(%rsp)
	leave
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	vector_call, . - vector_call

	.section .note.GNU-stack, "", @progbits
