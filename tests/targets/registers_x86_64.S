/* SPDX-License-Identifier: MIT */
/*
 * A caller and callees that check every register, like compiler output that
 * relies on both sides of a call (gcc's -fipa-ra). The state is thread-local
 * and addressed through %fs, so that no register is needed to reach it.
 */
#include "tests/targets/registers.h"

.macro store_all area
	movq %rax, %fs:\area@tpoff + 0
	movq %rcx, %fs:\area@tpoff + 8
	movq %rdx, %fs:\area@tpoff + 16
	movq %rbx, %fs:\area@tpoff + 24
	movq %rsp, %fs:\area@tpoff + FLAGS_OFFSET + 8
	movq %rbp, %fs:\area@tpoff + 40
	movq %rsi, %fs:\area@tpoff + 48
	movq %rdi, %fs:\area@tpoff + 56
	movq %r8, %fs:\area@tpoff + 64
	movq %r9, %fs:\area@tpoff + 72
	movq %r10, %fs:\area@tpoff + 80
	movq %r11, %fs:\area@tpoff + 88
	movq %r12, %fs:\area@tpoff + 96
	movq %r13, %fs:\area@tpoff + 104
	movq %r14, %fs:\area@tpoff + 112
	movq %r15, %fs:\area@tpoff + 120
	pushfq
	.cfi_adjust_cfa_offset 8
	popq %fs:\area@tpoff + FLAGS_OFFSET
	.cfi_adjust_cfa_offset -8
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movups %xmm\n, %fs:\area@tpoff + XMM_OFFSET + 16 * \n
	.endr
.endm

.macro load_all area
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movups %fs:\area@tpoff + XMM_OFFSET + 16 * \n, %xmm\n
	.endr
	pushq %fs:\area@tpoff + FLAGS_OFFSET
	.cfi_adjust_cfa_offset 8
	popfq
	.cfi_adjust_cfa_offset -8
	movq %fs:\area@tpoff + 0, %rax
	movq %fs:\area@tpoff + 8, %rcx
	movq %fs:\area@tpoff + 16, %rdx
	movq %fs:\area@tpoff + 24, %rbx
	movq %fs:\area@tpoff + 40, %rbp
	movq %fs:\area@tpoff + 48, %rsi
	movq %fs:\area@tpoff + 56, %rdi
	movq %fs:\area@tpoff + 64, %r8
	movq %fs:\area@tpoff + 72, %r9
	movq %fs:\area@tpoff + 80, %r10
	movq %fs:\area@tpoff + 88, %r11
	movq %fs:\area@tpoff + 96, %r12
	movq %fs:\area@tpoff + 104, %r13
	movq %fs:\area@tpoff + 112, %r14
	movq %fs:\area@tpoff + 120, %r15
.endm

.macro function name
	.p2align 4
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
.endm

.macro end_function name
	.cfi_endproc
	.size \name, . - \name
.endm

	.section .tbss, "awT", @nobits
	.p2align 4
.irp area, torture_given, torture_found, torture_reply, torture_result
	.globl \area
	.type \area, @object
	.size \area, STATE_BYTES
\area:
	.zero STATE_BYTES
.endr
	.globl torture_callee
	.type torture_callee, @object
	.size torture_callee, 8
torture_callee:
	.zero 8

	.data
	.p2align 3
word:
	.quad 0
plain_pointer:
	.quad torture_plain

	.text
function torture_call
	.irp register, rbx, rbp, r12, r13, r14, r15
	pushq %\register
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \register, 0
	.endr
	subq $8, %rsp
	.cfi_adjust_cfa_offset 8
	movq %rsp, %fs:torture_given@tpoff + FLAGS_OFFSET + 8
	load_all torture_given
	call *%fs:torture_callee@tpoff
	store_all torture_result
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	.irp register, r15, r14, r13, r12, rbp, rbx
	popq %\register
	.cfi_adjust_cfa_offset -8
	.cfi_restore \register
	.endr
	ret
end_function torture_call

function torture_plain
	store_all torture_found
	load_all torture_reply
	ret
end_function torture_plain

function torture_endbr
	endbr64
	store_all torture_found
	load_all torture_reply
	ret
end_function torture_endbr

function torture_rip_relative
	cmpq %rax, word(%rip)
	cmpq $1, word(%rip)
	store_all torture_found
	load_all torture_reply
	ret
end_function torture_rip_relative

/* The function consists only of a jump to another function. */
function torture_tail
	jmp torture_plain
end_function torture_tail

function torture_tail_indirect
	jmp *plain_pointer(%rip)
end_function torture_tail_indirect

/* A conditional branch in the first bytes depends on the caller's flags. */
function torture_branch
	jc 1f
	jmp torture_plain
1:	jmp torture_endbr
end_function torture_branch

/* The first instruction calls a function of this file. */
function torture_call_first
	call torture_nothing
	store_all torture_found
	load_all torture_reply
	ret
end_function torture_call_first

function torture_nothing
	nopl 0x0(%rax)
	nop
	ret
end_function torture_nothing

function torture_nops
	nop
	nop
	xchgw %ax, %ax
	nopl 0x0(%rax)
	store_all torture_found
	load_all torture_reply
	ret
end_function torture_nops

/*
 * The function begins with pushes and stack-relative accesses, as most
 * functions do.
 */
function torture_stack
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	movq %rsp, %rbp
	pushq %rax
	.cfi_adjust_cfa_offset 8
	movq (%rsp), %rax
	leaq 8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	popq %rbp
	.cfi_adjust_cfa_offset -8
	store_all torture_found
	load_all torture_reply
	ret
end_function torture_stack

	.section .note.GNU-stack, "", @progbits
