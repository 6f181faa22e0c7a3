/* SPDX-License-Identifier: MIT */
/*
 * The common handler of all user probes, called by hot_thunk_probe. If the
 * probe only counts, the handler continues with the counter. Otherwise it
 * passes all general registers in the order of machine/registers.h; the action
 * may change them.
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
probe_hit: /* arguments: (first, sp, probe, address of the probe's code) */
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
	call	probe_act /* arguments: (registers, sp, probe, address) */
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
