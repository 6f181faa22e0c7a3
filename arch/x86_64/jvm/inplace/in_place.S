/* SPDX-License-Identifier: MIT */
/*
 * Templates of the stubs of compiled Java methods
 * (jvm/inplace/in_place_code.h).
 *
 * Where methods are entered and left, compiled code uses neither r10, r11 nor
 * the flags. The stubs preserve all other registers. The id and the count are
 * those of ordinary stubs (preload/hot/stub.S). jvm/inplace/in_place_calls.c
 * describes the data of a call.
 *
 * If the JVM converts a compiled frame to an interpreted one, the call ends
 * unseen. The next call shows that: its return address is not lower, although a
 * compiled call's return address is at the end of its frame. If a call was
 * active when its method got a stub, the exit finds another serial or none.
 */
#include "jvm/inplace/in_place_holes.h"
#include "preload/hot/layout.h"

	.macro HOLE kind, back
.Lhole\@:
	.pushsection .rodata.in_place_holes, "a"
	/* label 77 is the start of the template */
	.short	.Lhole\@ - 77b - \back
	.short	\kind
	.popsection
	.endm

	.macro TLS insn:vararg
	\insn
	HOLE	IN_PLACE_TLS, 4
	.endm

	/* Loads the address of the return address's slot into the register. */
	.macro SLOT register
	leaq	0x7fffffff(%rsp), \register
	HOLE	IN_PLACE_RISE, 4
	.endm

	/*
	 * Sets r10 to half the address of the shadow of the slot in r11. Jumps
	 * to `elsewhere` if the slot has no reserved shadow.
	 */
	.macro SHADOW_OF_R11 elsewhere
	TLS	movq %fs:HOT_ENTRY_BASE, %r10
	addq	%r11, %r10
	jnc	\elsewhere
	TLS	addq %fs:HOT_SHADOW_HALF, %r10
	.endm

	.macro BEGIN name
	.section .rodata.in_place, "a"
	.globl	\name, \name\()_end, \name\()_holes, \name\()_holes_end
	.hidden	\name, \name\()_end, \name\()_holes, \name\()_holes_end
	.balign	64
\name:
77:
	.pushsection .rodata.in_place_holes, "a"
	.balign	4
\name\()_holes:
	.popsection
	.endm

	.macro END name
\name\()_end:
	.pushsection .rodata.in_place_holes, "a"
\name\()_holes_end:
	.popsection
	.endm

	.macro GO_ON
	HOLE	IN_PLACE_GO_ON, 0
	.skip	IN_PLACE_GO_ON_BYTES, 0xcc
	.endm

	/* offsets in struct compiled_call, from the slot's shadow */
	.set	OUTER, -16
	.set	SERIAL, -8
	.set	NUMBER, -4
	.set	RETURN_ADDRESS, 0
	.set	CALLER_ID, 8

	BEGIN	in_place_entry
	SLOT	%r11
	SHADOW_OF_R11 .Lentry_enter
	TLS	cmpq %fs:HOT_COMPILED_FRAME, %r11
	jae	.Lentry_enter
	TLS	movq %fs:HOT_COMPILED_FRAME, %r11
	movq	%r11, OUTER(, %r10, 2)
	SLOT	%r11
	TLS	movq %r11, %fs:HOT_COMPILED_FRAME
	movq	(%r11), %r11
	movq	%r11, RETURN_ADDRESS(, %r10, 2)
	TLS	movq %fs:HOT_ID, %r11
	movq	%r11, CALLER_ID(, %r10, 2)
	movl	$0x7fffffff, SERIAL(, %r10, 2)
	HOLE	IN_PLACE_SERIAL, 4
	movl	$0x7fffffff, NUMBER(, %r10, 2)
	HOLE	IN_PLACE_NUMBER, 4
	rolq	$29, %r11
	addq	$0x7fffffff, %r11
	HOLE	IN_PLACE_KEY, 4
	TLS	imulq %fs:HOT_MULTIPLIER, %r11
	TLS	movq %r11, %fs:HOT_ID
	/* the mask is loaded before the table (blank.h) */
	TLS	movq %fs:HOT_MASK, %r10
	andq	%r11, %r10
	TLS	addq %fs:HOT_TABLE, %r10
	cmpq	%r11, (%r10)
	jne	.Lentry_miss
	TLS	movq %fs:HOT_STEP, %r11
	addq	%r11, 8(%r10)
	jnc	.Lentry_due	/* the countdown has expired (wire/counts.h) */
.Lentry_go_on:
	GO_ON
.Lentry_enter:
	SLOT	%r10
	movabsq	$0x7fffffff7fffffff, %r11
	HOLE	IN_PLACE_SERIAL, 8
	HOLE	IN_PLACE_NUMBER, 4
	call	*0(%rip)
	HOLE	IN_PLACE_WAYS, 4
	jmp	.Lentry_go_on
.Lentry_miss:
	SLOT	%r10
	call	*8(%rip)
	HOLE	IN_PLACE_WAYS, 4
	jmp	.Lentry_go_on
.Lentry_due:
	call	*16(%rip)
	HOLE	IN_PLACE_WAYS, 4
	jmp	.Lentry_go_on
	END	in_place_entry

	BEGIN	in_place_exit
	SLOT	%r11
	SHADOW_OF_R11 .Lexit_go_on
	cmpl	$0x7fffffff, SERIAL(, %r10, 2)
	HOLE	IN_PLACE_SERIAL, 4
	jne	.Lexit_go_on
	movq	OUTER(, %r10, 2), %r11
	TLS	movq %r11, %fs:HOT_COMPILED_FRAME
	movq	CALLER_ID(, %r10, 2), %r11
	TLS	movq %r11, %fs:HOT_ID
.Lexit_go_on:
	GO_ON
	END	in_place_exit

	/* Calls C from a stub. The first arguments are in r10 and r11. */
	.macro	THUNK name, function
	.globl	\name
	.hidden	\name
	.type	\name, @function
\name:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	andq	$-16, %rsp
	movq	%r10, %rdi
	movq	%r11, %rsi
	call	\function
	leaq	-56(%rbp), %rsp
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popq	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm

	.text
	THUNK	in_place_thunk_enter, in_place_enter
	THUNK	in_place_thunk_miss, in_place_miss
	THUNK	in_place_thunk_due, in_place_due

	.section .note.GNU-stack, "", @progbits
