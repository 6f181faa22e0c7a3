/* SPDX-License-Identifier: MIT */
/*
 * restorer is a copy of the code by which libc's signal handlers return. The
 * call frame information says that the stack pointer is at the signal's
 * ucontext_t, which has the registers of the interrupted code.
 *
 * endless has call frame information whose expression never ends.
 */
	.globl restorer
	.type restorer, @function
	.cfi_startproc
	.cfi_signal_frame
	/* DW_CFA_def_cfa_expression: breg7 160, deref */
	.cfi_escape 0x0f, 4, 0x77, 0xa0, 0x01, 0x06
	/* DW_CFA_expression of rip: breg7 168 */
	.cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x01
	nop
restorer:
	movq $15, %rax
	syscall
	.cfi_endproc
	.size restorer, . - restorer

	.globl endless
	.type endless, @function
	.cfi_startproc
	/* DW_CFA_def_cfa_expression: lit0, skip -3 */
	.cfi_escape 0x0f, 4, 0x30, 0x2f, 0xfd, 0xff
endless:
	nop
	ret
	.cfi_endproc
	.size endless, . - endless
	.section .note.GNU-stack, "", @progbits
