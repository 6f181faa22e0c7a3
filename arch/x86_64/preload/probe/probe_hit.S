/* SPDX-License-Identifier: MIT */
/*
 * Where all hits of the user's probes come in, from hot_thunk_probe. Those that count
 * only go on at once; others find all general registers, in the order that
 * machine/registers.h says, and may change what is there.
 */
	.text
	.macro PUSH register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endm
	.macro POP register
	popq	\register
	.cfi_adjust_cfa_offset -8
	.endm

	.globl	probe_hit
	.hidden	probe_hit
	.type	probe_hit, @function
probe_hit:				/* (first, sp, probe, where that is) */
	.cfi_startproc
	leaq	probe_has_action(%rip), %rax
	cmpb	$0, (%rax,%rdx)
	jne	1f
	jmp	probe_count
1:	PUSH	%r15
	PUSH	%r14
	PUSH	%r13
	PUSH	%r12
	PUSH	%rbp
	PUSH	%rbx
	movq	%rsp, %rdi
	call	probe_act		/* (registers, sp, probe, where) */
	POP	%rbx
	POP	%rbp
	POP	%r12
	POP	%r13
	POP	%r14
	POP	%r15
	ret
	.cfi_endproc
	.size	probe_hit, . - probe_hit

	.section .note.GNU-stack, "", @progbits
