/* SPDX-License-Identifier: MIT */
/*
 * The stub: what runs between a caller and a hooked function.
 *
 * The entry of a hooked function is a jump to a copy of the template below,
 * made for that function alone. The stub moves the return address into the
 * shadow, steps the thread's id, counts, and *calls* the displaced first
 * instructions, whose return address thereby lands in the slot where the
 * original one was: the function sees its stack arguments where they belong,
 * and every call is answered by its own return, as the CPU predicts.
 *
 *	caller ---call f---> f: jmp stub
 *	                     entry -> id -> sink -> call displaced
 *	                                              | f runs, returns
 *	caller <--ret------- exit <-------------------'
 *
 * All general registers are preserved, because gcc's -fipa-ra lets callers of
 * local functions keep values in any of them; SSE is never touched. rcx and
 * rdx are saved below the stack pointer, in the 128 bytes that a signal
 * handler leaves alone. Flags are free at an entry and kept at an exit.
 *
 * A stub consists of entry, id, sink and exit, in this order. Only the sink
 * knows what is done with a call; other sinks (time, packets) replace that
 * part and no other.
 *
 * Constants of 64 bits are loaded from the thread's block: as immediate operands
 * they cost more than the load (fib(38): 0.2 ns a call on Zen 4).
 *
 * HOLE marks bytes that preload/stub.c fills in.
 */
#include "preload/hot/layout.h"

	.macro HOLE kind, back
.Lhole\@:
	.pushsection .rodata.hot_stub_holes, "a"
	.short	.Lhole\@ - hot_stub - \back
	.short	\kind
	.popsection
	.endm

	/* An instruction whose last four bytes are an offset from fs. */
	.macro TLS insn:vararg
	\insn
	HOLE	HOLE_TLS, 4
	.endm

	/* rcx: caller's id -> callee's id */
	.macro PUSH_ID
	rolq	$29, %rcx
	addq	$0x7fffffff, %rcx
	HOLE	HOLE_KEY, 4
	TLS	imulq %fs:HOT_MULTIPLIER, %rcx
	.endm

	/* Sink "count": one more call of the context in rcx. Clobbers rdx. */
	.macro COUNT miss, verify
	TLS	movq %fs:HOT_MASK, %rdx	/* before the table: growing */
	andq	%rcx, %rdx		/* swaps them in the other order */
	TLS	addq %fs:HOT_TABLE, %rdx
	cmpq	%rcx, (%rdx)
	jne	\miss
	TLS	movq %fs:HOT_STEP, %rcx
	addq	%rcx, 8(%rdx)
	jnc	\verify		/* counted down (wire/recording.h) */
	.endm

	.section .rodata.hot_stub_holes, "a"
	.balign	4
hot_stub_holes:

	.section .rodata.hot_stub, "a"
	.balign	64
	.globl	hot_stub, hot_stub_displaced, hot_stub_cold, hot_stub_end
	.hidden	hot_stub, hot_stub_displaced, hot_stub_cold, hot_stub_end
	.globl	hot_stub_holes, hot_stub_holes_end
	.hidden	hot_stub_holes, hot_stub_holes_end
hot_stub:
	/* entry: rsp is the slot of the return address */
	movq	%rcx, -0x10(%rsp)
	movq	%rdx, -0x18(%rsp)
	TLS	movq %fs:HOT_ENTRY_BASE, %rdx
	addq	%rsp, %rdx
	jnc	.Lelsewhere
	cmpb	$0x6f, 3(%rsp)		/* from a stub? (window.h) */
	HOLE	HOLE_ZONE_IMM, 1
	.byte	0x0f, 0x8f		/* jg .Ltail, never short */
	.long	.Ltail - . - 4
	HOLE	HOLE_ZONE_CC, 5
.Lfresh:
	btsq	$SHADOW_HALF_BIT, %rdx
	popq	(,%rdx,2)
	/* id */
	TLS	movq %fs:HOT_ID, %rcx
	movq	%rcx, 8(,%rdx,2)
	PUSH_ID
	TLS	movq %rcx, %fs:HOT_ID
	/* sink */
	COUNT	.Lmiss, .Lverify
.Lgo:
	movq	-0x20(%rsp), %rdx
	movq	-0x18(%rsp), %rcx
	call	.Ldisplaced
	/* exit: rsp is behind the slot, where the caller expects it */
	movq	%rdx, -0x18(%rsp)
	TLS	movq %fs:HOT_EXIT_BASE, %rdx
	leaq	(%rsp,%rdx), %rdx
	pushq	(,%rdx,2)
	movq	8(,%rdx,2), %rdx
	TLS	movq %rdx, %fs:HOT_ID
	movq	-0x10(%rsp), %rdx
	ret

	/*
	 * The displaced instructions and a jump back to the function. What
	 * every call executes ends here, four cache lines in all.
	 */
hot_stub_displaced:
.Ldisplaced:
	.fill	hot_stub + STUB_HOT_BYTES - ., 1, 0xcc
hot_stub_cold:
.Lmiss:
	TLS	call *%fs:HOT_MISS_CALL
	jmp	.Lgo
.Lverify:
	TLS	call *%fs:HOT_VERIFY_CALL
	jmp	.Lgo

	/*
	 * Tail call: the return address is another stub's exit, so a hooked
	 * function has left by jumping here. All exits do the same, so that
	 * one keeps serving: this function takes the place of the other below
	 * the same caller, and calls and returns stay paired for the CPU.
	 */
.Ltail:
	movq	(%rsp), %rcx
	movabsq	$0x1122334455667788, %rdx
	HOLE	HOLE_WINDOWS, 8
	shrq	$WINDOW_SHIFT, %rcx
	cmpb	$0, (%rdx,%rcx)		/* the test above was a glance */
	TLS	movq %fs:HOT_ENTRY_BASE, %rdx
	leaq	(%rsp,%rdx), %rdx
	je	.Lfresh
	btsq	$SHADOW_HALF_BIT, %rdx
	movq	8(,%rdx,2), %rcx
	PUSH_ID
	TLS	cmpq %fs:HOT_ID, %rcx	/* a loop to the own entry? */
	je	.Ltail_go
	TLS	movq %rcx, %fs:HOT_ID
	COUNT	.Ltail_miss, .Ltail_verify
.Ltail_go:
	movq	-0x18(%rsp), %rdx
	movq	-0x10(%rsp), %rcx
	jmp	.Ldisplaced
.Ltail_miss:
	TLS	call *%fs:HOT_MISS_TAIL
	jmp	.Ltail_go
.Ltail_verify:
	TLS	call *%fs:HOT_VERIFY_TAIL
	jmp	.Ltail_go

	/*
	 * A stack below hot_shadow_low: all the work is done in C. The
	 * thunk returns here for a call, ELSEWHERE_TAIL bytes further on for
	 * a tail call.
	 */
.Lelsewhere:
	TLS	call *%fs:HOT_ENTER_ELSEWHERE
.Lelsewhere_call:
	leaq	8(%rsp), %rsp
	movq	-0x20(%rsp), %rdx
	movq	-0x18(%rsp), %rcx
	call	.Ldisplaced
	TLS	jmp *%fs:HOT_LEAVE_ELSEWHERE
.Lelsewhere_tail:
	movq	-0x18(%rsp), %rdx
	movq	-0x10(%rsp), %rcx
	jmp	.Ldisplaced
.Lelsewhere_key:
	.long	0
	HOLE	HOLE_KEY, 4
	.fill	hot_stub + STUB_BYTES - ., 1, 0xcc
hot_stub_end:

	.set	ELSEWHERE_TAIL, .Lelsewhere_tail - .Lelsewhere_call
	.set	ELSEWHERE_KEY, .Lelsewhere_key - .Lelsewhere_call

	.section .rodata.hot_stub_holes, "a"
hot_stub_holes_end:

	/*
	 * Thunks: from a stub's cold part into C, every register preserved.
	 *
	 * At entry the stub's rcx and rdx lie 0x10 and 0x18 bytes below the
	 * slot, and rsp is the slot (miss_call, verify: the return address
	 * has been popped, the thunk's own lies there) or 8 bytes below it.
	 *
	 * Should the program's stack end in here, the program's handler must
	 * find nothing half done, and above all no signals blocked: so the last
	 * byte that may be needed is looked at before anything is begun.
	 */
	.macro	SAVE_TO_CALL_C below_slot
	cmpb	$0, -SLOW_STACK_BYTES(%rsp)	/* if it ends, then here */
	leaq	-0x20 + \below_slot(%rsp), %rsp
	pushq	%rax
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	leaq	0x58(%rsp), %rdi	/* first argument: the slot */
	cld
	.endm

	.macro	RESTORE_FROM_C below_slot
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rax
	leaq	0x20 - \below_slot(%rsp), %rsp
	.endm

	.text
	.globl	hot_thunk_miss_call, hot_thunk_miss_tail
	.globl	hot_thunk_verify_call, hot_thunk_verify_tail
	.globl	hot_thunk_enter_elsewhere, hot_thunk_leave_elsewhere
	.hidden	hot_thunk_miss_call, hot_thunk_miss_tail
	.hidden	hot_thunk_verify_call, hot_thunk_verify_tail
	.hidden	hot_thunk_enter_elsewhere, hot_thunk_leave_elsewhere

	/*
	 * Miss: rcx is the id, rdx the entry it was not found in. It may be
	 * in a later one: look there before bothering C. An empty entry stands
	 * behind every table, so this ends even in a table that a signal
	 * handler has meanwhile replaced; C goes round the end.
	 */
	.macro	PROBE	reorder
1:	cmpq	$0, (%rdx)
	je	2f
	addq	$16, %rdx
	cmpq	%rcx, (%rdx)
	jne	1b
	incq	8(%rdx)
	movq	hot@gottpoff(%rip), %rdx
	decl	%fs:HOT_STRAYS_LEFT(%rdx)
	js	\reorder
	ret
2:
	.endm

	/*
	 * The same look at the stack while the id is once more the caller's:
	 * what a handler calls shall not be below a context that nobody has
	 * recorded yet. The stub has stored the id, so rcx is free until then.
	 */
	.macro	LOOK_AS_CALLER below_slot
	movq	hot@gottpoff(%rip), %rcx
	movq	%fs:HOT_ENTRY_BASE(%rcx), %rdx
	leaq	\below_slot(%rsp,%rdx), %rdx
	btsq	$SHADOW_HALF_BIT, %rdx
	movq	8(,%rdx,2), %rdx
	xchgq	%rdx, %fs:HOT_ID(%rcx)
	cmpb	$0, -SLOW_STACK_BYTES(%rsp)
	movq	%rdx, %fs:HOT_ID(%rcx)
	movq	%rdx, %rcx
	.endm

	.type	hot_thunk_miss_call, @function
hot_thunk_miss_call:
	PROBE	3f
	LOOK_AS_CALLER 0
	SAVE_TO_CALL_C 0
	movq	%rcx, %rsi		/* the id */
	xorl	%edx, %edx		/* not a tail call */
	call	hot_miss
	RESTORE_FROM_C 0
	ret
3:	SAVE_TO_CALL_C 0
	call	hot_reorder
	RESTORE_FROM_C 0
	ret
	.size	hot_thunk_miss_call, . - hot_thunk_miss_call

	.type	hot_thunk_miss_tail, @function
hot_thunk_miss_tail:
	PROBE	3f
	LOOK_AS_CALLER 8
	SAVE_TO_CALL_C 8
	movq	%rcx, %rsi
	movl	$1, %edx
	call	hot_miss
	RESTORE_FROM_C 8
	ret
3:	SAVE_TO_CALL_C 8
	call	hot_reorder
	RESTORE_FROM_C 8
	ret
	.size	hot_thunk_miss_tail, . - hot_thunk_miss_tail

	.type	hot_thunk_verify_call, @function
hot_thunk_verify_call:
	SAVE_TO_CALL_C 0
	call	hot_verify
	RESTORE_FROM_C 0
	ret
	.size	hot_thunk_verify_call, . - hot_thunk_verify_call

	.type	hot_thunk_verify_tail, @function
hot_thunk_verify_tail:
	SAVE_TO_CALL_C 8
	call	hot_verify
	RESTORE_FROM_C 8
	ret
	.size	hot_thunk_verify_tail, . - hot_thunk_verify_tail

	.type	hot_thunk_enter_elsewhere, @function
hot_thunk_enter_elsewhere:
	movq	(%rsp), %rdx
	SAVE_TO_CALL_C 8
	movslq	ELSEWHERE_KEY(%rdx), %rsi
	call	hot_enter_elsewhere
	testl	%eax, %eax
	RESTORE_FROM_C 8
	je	1f
	addq	$ELSEWHERE_TAIL, (%rsp)
1:	ret
	.size	hot_thunk_enter_elsewhere, . - hot_thunk_enter_elsewhere

	/* The exit of a call elsewhere: rsp is behind the slot. */
	.type	hot_thunk_leave_elsewhere, @function
hot_thunk_leave_elsewhere:
	pushq	%rax			/* the slot, until it is refilled */
	pushfq
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	leaq	0x50(%rsp), %rdi
	cld
	call	hot_leave_elsewhere	/* writes the slot */
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rdx
	popq	%rcx
	popq	%rax
	popfq
	ret
	.size	hot_thunk_leave_elsewhere, . - hot_thunk_leave_elsewhere

	.section .note.GNU-stack, "", @progbits
