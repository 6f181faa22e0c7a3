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
 * knows what is done with a call. Where time is taken as well, it does more
 * and the exit does its share (stub_timed.inc); likewise where each call leaves
 * a word in a packet instead of a count (stub_traced.inc).
 *
 * A tail call arrives with the return address of another stub's exit. All exits
 * stand at STUB_EXIT_AT in their stub, so that the lowest byte of the return
 * address is all that an ordinary call looks at; it is read as it was stored,
 * eight bytes at once, or it would have to wait for the store (sqlite3 on Zen 5,
 * a byte being read alone: 4.1 times the native time instead of 2.2). Where the
 * glance says "perhaps", the map of the windows says for sure (window.h). So the
 * parts that precede the exit stand where their length wants them, ENTRY_AT.
 *
 * Where a module generates code at run time, that code and the module may well
 * look up each other's return addresses: the module's stubs are *guarded*, and
 * pass calls straight through that come from no module's text. To guard a stub
 * is to have its glance say "perhaps" to all calls, for which two bytes change,
 * whoever may be executing it (guard.h).
 *
 * The template proper is stub_template.inc, which is assembled for
 *
 *	hot_stub_plain	most processes
 *	hot_stub_leaf	in these, functions that call nothing (stub_leaf.inc)
 *	hot_stub_timed	those whose calls are timed
 *	hot_stub_traced	those whose calls are written down, one by one
 *	hot_stub_stamped	and their returns, with their times
 *	hot_stub_sited	... or with where they are made
 *	hot_stub_stamped_sited	... or both
 *
 * Constants of 64 bits are loaded from the thread's block: as immediate operands
 * they cost more than the load (fib(38): 0.2 ns a call on Zen 4).
 *
 * HOLE marks bytes that preload/stubs/stub_write.c fills in. From the exit on
 * to HOT_END there is room for the displaced instructions.
 */
#include "preload/hot/layout.h"

	.set	CALL_BYTES, 5
	.set	IF_CARRY, 2
	.set	IF_NO_CARRY, 3
	.set	IF_EQUAL, 4
	.set	IF_NOT_EQUAL, 5
	.set	IF_PARITY_ODD, 11
	.set	IF_GREATER, 15

#define TEMPLATE      hot_stub_plain
#define SECTION       .rodata.hot_stub_plain
#define HOLES_SECTION .rodata.hot_stub_plain_holes
#define L(name)       .Lplain_##name
#define IS_TIMED      0
#define IS_TRACED     0
#define IS_STAMPED    0
#define IS_SITED      0
#define IS_LEAF       0
#define KIND          STUB_PLAIN
#define BYTES         STUB_BYTES
#define ENTRY_AT      0xc0
#define HOT_END       0x1c9
#include "preload/hot/stub_template.inc"

	.set	ELSEWHERE_AT, .Lplain_elsewhere - .Lplain_start

#define TEMPLATE      hot_stub_leaf
#define SECTION       .rodata.hot_stub_leaf
#define HOLES_SECTION .rodata.hot_stub_leaf_holes
#define L(name)       .Lleaf_##name
#define IS_TIMED      0
#define IS_TRACED     0
#define IS_STAMPED    0
#define IS_SITED      0
#define IS_LEAF       1
#define KIND          STUB_LEAF
#define BYTES         STUB_BYTES
#define ENTRY_AT      0xc0
#define HOT_END       (STUB_EXIT_AT - CALL_BYTES)
#include "preload/hot/stub_template.inc"

#define TEMPLATE      hot_stub_timed
#define SECTION       .rodata.hot_stub_timed
#define HOLES_SECTION .rodata.hot_stub_timed_holes
#define L(name)       .Ltimed_##name
#define IS_TIMED      1
#define IS_TRACED     0
#define IS_STAMPED    0
#define IS_SITED      0
#define IS_LEAF       0
#define KIND          STUB_TIMED
#define BYTES         (2 * STUB_BYTES)
#define ENTRY_AT      0x7e
#define HOT_END       STUB_GUARD_AT
#include "preload/hot/stub_template.inc"

#define TEMPLATE      hot_stub_traced
#define SECTION       .rodata.hot_stub_traced
#define HOLES_SECTION .rodata.hot_stub_traced_holes
#define L(name)       .Ltraced_##name
#define IS_TIMED      0
#define IS_TRACED     1
#define IS_STAMPED    0
#define IS_SITED      0
#define IS_LEAF       0
#define KIND          STUB_TRACED
#define BYTES         (2 * STUB_BYTES)
#define ENTRY_AT      0x97
#define HOT_END       0x1d3
#include "preload/hot/stub_template.inc"

#define TEMPLATE      hot_stub_stamped
#define SECTION       .rodata.hot_stub_stamped
#define HOLES_SECTION .rodata.hot_stub_stamped_holes
#define L(name)       .Lstamped_##name
#define IS_TIMED      0
#define IS_TRACED     1
#define IS_STAMPED    1
#define IS_SITED      0
#define IS_LEAF       0
#define KIND          STUB_TRACED
#define BYTES         (2 * STUB_BYTES)
#define ENTRY_AT      0x97
#define HOT_END       0x1d3
#include "preload/hot/stub_template.inc"

#define TEMPLATE      hot_stub_sited
#define SECTION       .rodata.hot_stub_sited
#define HOLES_SECTION .rodata.hot_stub_sited_holes
#define L(name)       .Lsited_##name
#define IS_TIMED      0
#define IS_TRACED     1
#define IS_STAMPED    0
#define IS_SITED      1
#define IS_LEAF       0
#define KIND          STUB_TRACED
#define BYTES         (2 * STUB_BYTES)
#define ENTRY_AT      0x7c
#define HOT_END       0x1d3
#include "preload/hot/stub_template.inc"

#define TEMPLATE      hot_stub_stamped_sited
#define SECTION       .rodata.hot_stub_stamped_sited
#define HOLES_SECTION .rodata.hot_stub_stamped_sited_holes
#define L(name)       .Lstamped_sited_##name
#define IS_TIMED      0
#define IS_TRACED     1
#define IS_STAMPED    1
#define IS_SITED      1
#define IS_LEAF       0
#define KIND          STUB_TRACED
#define BYTES         (2 * STUB_BYTES)
#define ENTRY_AT      0x7c
#define HOT_END       0x1d3
#include "preload/hot/stub_template.inc"

	.set	ELSEWHERE_TAIL, .Lplain_elsewhere_tail - .Lplain_elsewhere_call
	.set	LEAF_COLD_BIT, 0x100	/* of addresses: it is behind ENTRY_AT */
	.set	LEAF_FRAMED_AT, .Lleaf_framed - .Lleaf_start

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
	.macro	PUSH register
	pushq	\register
	.cfi_adjust_cfa_offset 8
	.endm

	.macro	SAVE_TO_CALL_C below_slot
	cmpb	$0, -SLOW_STACK_BYTES(%rsp)	/* if it ends, then here */
	.cfi_remember_state
	leaq	-0x20 + \below_slot(%rsp), %rsp
	.cfi_adjust_cfa_offset 0x20 - \below_slot
	PUSH	%rax
	PUSH	%rsi
	PUSH	%rdi
	PUSH	%r8
	PUSH	%r9
	PUSH	%r10
	PUSH	%r11
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
	.cfi_restore_state
	.endm

	.text
	.globl	hot_thunk_miss_call, hot_thunk_miss_tail
	.globl	hot_thunk_verify_call, hot_thunk_verify_tail
	.globl	hot_thunk_enter_elsewhere, hot_thunk_leave_elsewhere
	.globl	hot_thunk_guard, hot_thunk_probe
	.globl	hot_thunk_close, hot_thunk_close_tail
	.globl	hot_thunk_carried, hot_thunk_carried_told
	.globl	hot_thunk_trace_call, hot_thunk_trace_tail
	.globl	hot_thunk_trace_return
	.hidden	hot_thunk_miss_call, hot_thunk_miss_tail
	.hidden	hot_thunk_verify_call, hot_thunk_verify_tail
	.hidden	hot_thunk_enter_elsewhere, hot_thunk_leave_elsewhere
	.hidden	hot_thunk_guard, hot_thunk_probe
	.hidden	hot_thunk_close, hot_thunk_close_tail
	.hidden	hot_thunk_carried, hot_thunk_carried_told
	.hidden	hot_thunk_trace_call, hot_thunk_trace_tail
	.hidden	hot_thunk_trace_return

	/*
	 * Miss: rcx is the id, a tail call's complement of it, rdx the entry it
	 * was not found in. It may be in a later one: look there before bothering C. An empty entry stands
	 * behind every table, so this ends even in a table that a signal
	 * handler has meanwhile replaced; C goes round the end.
	 */
	.macro	PROBE	reorder, verify
	prefetcht0 64(%rdx)
1:	cmpq	$0, (%rdx)
	je	2f
	addq	$16, %rdx
	cmpq	%rcx, (%rdx)
	jne	1b
	movq	hot@gottpoff(%rip), %rcx
	movq	%fs:HOT_STEP(%rcx), %rcx
	addq	%rcx, 8(%rdx)
	jnc	\verify
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
	movq	%fs:HOT_EXIT_BASE(%rcx), %rdx
	leaq	8 + \below_slot(%rsp,%rdx), %rdx
	movq	8(,%rdx,2), %rdx
	xorq	%fs:HOT_ID(%rcx), %rdx
	xorq	%rdx, %fs:HOT_ID(%rcx)	/* not xchg: that waits for all */
	cmpb	$0, -SLOW_STACK_BYTES(%rsp)
	xorq	%rdx, %fs:HOT_ID(%rcx)
	movq	%fs:HOT_ID(%rcx), %rcx
	.endm

	.globl	hot_thunks, hot_thunks_end
	.hidden	hot_thunks, hot_thunks_end
hot_thunks:
	.type	hot_thunk_miss_call, @function
hot_thunk_miss_call:
	.cfi_startproc
	PROBE	3f, hot_thunk_verify_call
.Lmiss_call:
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
	.cfi_endproc
	.size	hot_thunk_miss_call, . - hot_thunk_miss_call

	/*
	 * From the cold part of a leaf's stub, not from where it sees to tail
	 * calls? rdx: the stub, if so.
	 */
	.macro	IF_LEAF target
	movq	(%rsp), %rdx
	testl	$LEAF_COLD_BIT, %edx
	je	9f
	andq	$-STUB_BYTES, %rdx
	cmpb	$STUB_LEAF, STUB_KIND_AT(%rdx)
	je	\target
9:
	.endm

	/*
	 * A leaf's stub as others are when they have moved the return address and
	 * stepped the id: rcx, and it goes on at LEAF_FRAMED_AT. rdx is the stub.
	 */
	.macro	LEAF_FRAME
	popq	-0x28(%rsp)
	.cfi_remember_state
	.cfi_def_cfa_offset 0
	.cfi_offset %rip, -0x28
	leaq	LEAF_FRAMED_AT(%rdx), %rcx
	movq	%rcx, -0x20(%rsp)
	movq	hot@gottpoff(%rip), %rcx
	movq	%fs:HOT_ENTRY_BASE(%rcx), %rdx
	addq	%rsp, %rdx
	addq	%fs:HOT_SHADOW_HALF(%rcx), %rdx
	popq	(,%rdx,2)		/* now -0x28(%rsp) is the other one */
	movq	%fs:HOT_ID(%rcx), %rcx
	movq	%rcx, 8(,%rdx,2)
	movq	-0x28(%rsp), %rdx
	movslq	STUB_KEY_AT - LEAF_FRAMED_AT(%rdx), %rdx
	rolq	$29, %rcx
	addq	%rdx, %rcx
	movq	hot@gottpoff(%rip), %rdx
	imulq	%fs:HOT_MULTIPLIER(%rdx), %rcx
	movq	%rcx, %fs:HOT_ID(%rdx)
	pushq	-0x28(%rsp)
	.cfi_restore_state
	.endm

	.type	hot_thunk_miss_leaf, @function
hot_thunk_miss_leaf:
	.cfi_startproc
	LEAF_FRAME
	jmp	.Lmiss_call
	.cfi_endproc
	.size	hot_thunk_miss_leaf, . - hot_thunk_miss_leaf

	.type	hot_thunk_verify_leaf, @function
hot_thunk_verify_leaf:
	.cfi_startproc
	LEAF_FRAME
	jmp	hot_thunk_verify_call
	.cfi_endproc
	.size	hot_thunk_verify_leaf, . - hot_thunk_verify_leaf

	.type	hot_thunk_miss_tail, @function
hot_thunk_miss_tail:
	.cfi_startproc
	PROBE	3f, hot_thunk_verify_tail
	IF_LEAF	hot_thunk_miss_leaf
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
	.cfi_endproc
	.size	hot_thunk_miss_tail, . - hot_thunk_miss_tail

	.type	hot_thunk_verify_call, @function
hot_thunk_verify_call:
	.cfi_startproc
	SAVE_TO_CALL_C 0
	xorl	%esi, %esi		/* not a tail call */
	call	hot_verify
	RESTORE_FROM_C 0
	ret
	.cfi_endproc
	.size	hot_thunk_verify_call, . - hot_thunk_verify_call

	.type	hot_thunk_verify_tail, @function
hot_thunk_verify_tail:
	.cfi_startproc
	IF_LEAF	hot_thunk_verify_leaf
	SAVE_TO_CALL_C 8
	movl	$1, %esi
	call	hot_verify
	RESTORE_FROM_C 8
	ret
	.cfi_endproc
	.size	hot_thunk_verify_tail, . - hot_thunk_verify_tail

	/*
	 * A call's word finds no place: rcx is the word (of a tail call, both),
	 * rdx where it would be.
	 */
	.macro	TRACE_THUNK name, below_slot, is_tail
	.type	\name, @function
\name:
	.cfi_startproc
	SAVE_TO_CALL_C \below_slot
	movq	%rcx, %rsi
	movl	$\is_tail, %ecx
	call	hot_trace
	RESTORE_FROM_C \below_slot
	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm

	TRACE_THUNK hot_thunk_trace_call, 0, 0
	TRACE_THUNK hot_thunk_trace_tail, 8, 1

	/* The return address (rsp) is in the stub; what C answers chooses where. */
	.macro	ENTER_THUNK name, function, further
	.type	\name, @function
\name:
	.cfi_startproc
	movq	(%rsp), %rdx
	andq	$-STUB_BYTES, %rdx
	SAVE_TO_CALL_C 8
	movslq	STUB_KEY_AT(%rdx), %rsi
	call	\function
	testl	%eax, %eax
	RESTORE_FROM_C 8
	je	1f
	addq	$\further, (%rsp)
1:	ret
	.cfi_endproc
	.size	\name, . - \name
	.endm

	ENTER_THUNK hot_thunk_enter_elsewhere, hot_enter_elsewhere, ELSEWHERE_TAIL

	/*
	 * Carry, if the call is to be passed through, and else rdx as the stub
	 * has it: the slot's address and the entry's base. Most calls come from
	 * the module that the last one came from.
	 */
	.type	hot_thunk_guard, @function
hot_thunk_guard:
	.cfi_startproc
	movq	hot@gottpoff(%rip), %rdx
	movq	%fs:HOT_NATIVE(%rdx), %rdx
	movq	8(%rsp), %rcx
	cmpq	(%rdx), %rcx		/* struct native_range */
	jb	2f
	cmpq	8(%rdx), %rcx
	jae	2f
1:	movq	hot@gottpoff(%rip), %rcx
	movq	%fs:HOT_ENTRY_BASE(%rcx), %rdx
	leaq	8(%rsp,%rdx), %rdx
	clc
	ret
2:	movq	(%rsp), %rdx		/* in the stub */
	andq	$-STUB_BYTES, %rdx
	SAVE_TO_CALL_C 8
	movq	%rdx, %rsi
	call	hot_is_welcome
	testl	%eax, %eax
	RESTORE_FROM_C 8
	jnz	1b
	stc
	ret
	.cfi_endproc
	.size	hot_thunk_guard, . - hot_thunk_guard

	/*
	 * The end of a call's time: one more call in the times of its context,
	 * if all is as usual. The stamp is in rdx:rax, a third of the address of
	 * the slot's times in rdi, the thread's block at r8; of these r8 is kept.
	 * Else goes on at `slow` with the call's inclusive time in rdx.
	 *
	 * No address of a store may depend on the stamp: whatever comes behind
	 * such a store waits until the counter has been read, 6 ns a call in fib
	 * and 9 in leaves of a table (Zen 4). So the histogram gets the call
	 * before this one, while this one waits in `latest`; a handler may
	 * exchange that, too, or empty the table, hence the comparison.
	 */
	.macro	ACCOUNT slow
	shlq	$32, %rdx
	orq	%rax, %rdx
	subq	%fs:HOT_PAUSED(%r8), %rdx
	subq	TIME_START(%rdi,%rdi,2), %rdx	/* total */
	movq	TIME_ACCOUNTED(%rdi,%rdi,2), %rsi
	subq	%fs:HOT_ACCOUNTED(%r8), %rsi
	addq	%rdx, %rsi			/* self */
	cmpq	%rdx, %rsi
	ja	\slow				/* below 0, or strange */
	movq	TIME_ID(%rdi,%rdi,2), %rcx
	movq	%fs:HOT_MASK(%r8), %rax		/* in COUNT's order */
	andq	%rcx, %rax
	movq	%fs:HOT_TABLE(%r8), %rdi
1:	cmpq	%rcx, (%rdi,%rax)
	je	2f
	cmpq	$0, (%rdi,%rax)			/* away from home? */
	je	\slow
	addq	$16, %rax
	jmp	1b
2:	negq	%rax
	leaq	-TIMES_BYTES(%rdi,%rax,TIMES_PER_ENTRY), %rdi
	cmpq	TIMES_MAX(%rdi), %rdx		/* the longest, */
	ja	\slow
	cmpq	TIMES_MIN(%rdi), %rdx		/* the shortest */
	jb	\slow
	testq	%rdx, %rdx			/* no time at all, */
	jz	\slow
3:	movq	TIMES_LATEST(%rdi), %rax
	testq	%rax, %rax			/* its first end */
	jz	\slow
	movq	TIMES_HISTOGRAM(%rdi), %rcx	/* there if `latest` is */
	cmpxchgq %rdx, TIMES_LATEST(%rdi)
	jne	3b
	addq	%rsi, %fs:HOT_ACCOUNTED(%r8)
	addq	%rsi, TIMES_SELF(%rdi)
	addq	%rdx, TIMES_TOTAL(%rdi)
	incq	TIMES_ENDED(%rdi)
	bsrq	%rax, %rax
	incq	(%rcx,%rax,8)
	.endm

	/* The same where not all is as usual: hot_close() sees to it. */
	.macro	ACCOUNT_IN_C below_slot, function=hot_close
	cmpb	$0, -SLOW_STACK_BYTES(%rsp)	/* if it ends, then here */
	.cfi_remember_state
	leaq	-0x50 + \below_slot(%rsp), %rsp
	.cfi_adjust_cfa_offset 0x50 - \below_slot
	PUSH	%r9
	PUSH	%r10
	PUSH	%r11
	leaq	0x68(%rsp), %rdi		/* the slot */
	movq	%rdx, %rsi
	cld
	call	\function
	popq	%r11
	popq	%r10
	popq	%r9
	leaq	0x50 - \below_slot(%rsp), %rsp
	.cfi_restore_state
	.endm

	/*
	 * From the exit of a timed stub (stub_timed.inc), which tells
	 * what it has saved where: rsp is the slot, and this returns to the
	 * program.
	 */
	.type	hot_thunk_close, @function
hot_thunk_close:
	.cfi_startproc
	movq	%rsi, -0x28(%rsp)
	movq	%r8, -0x40(%rsp)
	movq	hot@gottpoff(%rip), %r8
	movq	%fs:HOT_TIME_BASE(%r8), %rdi
	leaq	8(%rsp,%rdi), %rdi
	ACCOUNT	9f
8:
.Lclosed:
	movl	-0x38(%rsp), %eax
	addb	$0x7f, %al			/* overflow, if seto set it */
	sahf
	movq	-0x10(%rsp), %rcx
	movq	-0x18(%rsp), %rdx
	movq	-0x20(%rsp), %rax
	movq	-0x28(%rsp), %rsi
	movq	-0x30(%rsp), %rdi
	movq	-0x40(%rsp), %r8
	ret
9:	ACCOUNT_IN_C 0
	jmp	8b
	.cfi_endproc
	.size	hot_thunk_close, . - hot_thunk_close

	/*
	 * From the exit of a stub that stamps returns (stub_traced.inc), to which it
	 * returns: all registers and flags are kept, as hot_thunk_close has them.
	 */
	.type	hot_thunk_trace_return, @function
hot_thunk_trace_return:
	.cfi_startproc
	movq	%rax, -0x20(%rsp)
	lahf
	seto	%al
	movl	%eax, -0x38(%rsp)
	movq	%rdx, -0x18(%rsp)
	rdtsc
	movq	%rcx, -0x10(%rsp)
	movq	%rsi, -0x28(%rsp)
	movq	%rdi, -0x30(%rsp)
	movq	%r8, -0x40(%rsp)
	shlq	$32, %rdx
	orq	%rax, %rdx
	ACCOUNT_IN_C 0, hot_trace_return
	jmp	.Lclosed
	.cfi_endproc
	.size	hot_thunk_trace_return, . - hot_thunk_trace_return

	/*
	 * A function leaves by a tail call. rsp is 8 bytes below the slot, and rcx
	 * the next one's id, which is kept.
	 */
	.type	hot_thunk_close_tail, @function
hot_thunk_close_tail:
	.cfi_startproc
	movq	%rax, -0x18(%rsp)
	movq	%rsi, -0x20(%rsp)
	movq	%rdi, -0x28(%rsp)
	movq	%r8, -0x38(%rsp)
	movq	%rcx, -0x40(%rsp)
	rdtsc
	movq	hot@gottpoff(%rip), %r8
	movq	%fs:HOT_TIME_BASE(%r8), %rdi
	leaq	16(%rsp,%rdi), %rdi
	ACCOUNT	9f
8:	movq	-0x18(%rsp), %rax
	movq	-0x20(%rsp), %rsi
	movq	-0x28(%rsp), %rdi
	movq	-0x38(%rsp), %r8
	movq	-0x40(%rsp), %rcx
	ret
9:	ACCOUNT_IN_C 8
	jmp	8b
	.cfi_endproc
	.size	hot_thunk_close_tail, . - hot_thunk_close_tail

	/*
	 * A function has returned into a trampoline (trampoline.h): rsp is behind
	 * the slot, rdx the record, its own value at -0x18(%rsp). The same as
	 * an exit, but all is in the record and nothing in the shadow.
	 */
	.type	hot_thunk_carried, @function
hot_thunk_carried:
	.cfi_startproc
	.cfi_def_cfa %rsp, 0
	.cfi_escape 0x10, 16, 2, 0x71, 0 /* the return address is at (rdx) */
	movq	%rcx, -0x10(%rsp)
	movq	(%rdx), %rcx
	movq	%rcx, -0x20(%rsp)
	.cfi_offset %rip, -0x20
	movq	8(%rdx), %rdx
	movq	hot@gottpoff(%rip), %rcx
	movq	%rdx, %fs:HOT_ID(%rcx)	/* its link is in the slot until then */
	movq	-0x20(%rsp), %rdx
	movq	%rdx, -8(%rsp)
	.cfi_offset %rip, -8
	movq	-0x18(%rsp), %rdx
	movq	-0x10(%rsp), %rcx
	leaq	-8(%rsp), %rsp
	.cfi_adjust_cfa_offset 8
	ret
	.cfi_endproc
	.size	hot_thunk_carried, . - hot_thunk_carried

	/* The same where the sink is told. */
	.type	hot_thunk_carried_told, @function
hot_thunk_carried_told:
	leaq	-0x18(%rsp), %rsp	/* rdx is kept there */
	pushfq
	pushq	%rax
	pushq	%rcx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	leaq	0x58(%rsp), %rdi
	movq	%rdx, %rsi
	cld
	call	hot_leave_carried	/* writes the slot */
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rdi
	popq	%rsi
	popq	%rcx
	popq	%rax
	popfq
	movq	(%rsp), %rdx
	leaq	0x10(%rsp), %rsp
	ret
	.size	hot_thunk_carried_told, . - hot_thunk_carried_told

	/* The exit of a call elsewhere: rsp is behind the slot. */
	.type	hot_thunk_leave_elsewhere, @function
hot_thunk_leave_elsewhere:
	leaq	-8(%rsp), %rsp		/* the slot, with the stub's address still */
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

	/*
	 * From a probe, whose address is in the return address: calls the handler
	 * in the probe's tail with rdi, the site's stack pointer, and the argument
	 * in the tail. Every register and the flags are kept. A stub's address on
	 * the stack would be a running function's to those who walk it; the one
	 * that this returns to shall not look like one.
	 */
	.set	PROBE_PUSHED_BYTES, 8 * 9
	.set	PROBE_STACK_BYTES, 0x80 + 8 * 2 + PROBE_PUSHED_BYTES
	.set	PROBE_DIRECTION, 4	/* of the second byte of the flags */
	.set	PROBE_OVERFLOW, 8	/* likewise */
	.type	hot_thunk_probe, @function
hot_thunk_probe:
	.cfi_startproc
	notq	(%rsp)			/* leaves flags alone */
	pushfq
	.cfi_adjust_cfa_offset 8
	PUSH	%rax
	PUSH	%rcx
	PUSH	%rdx
	PUSH	%rsi
	PUSH	%r8
	PUSH	%r9
	PUSH	%r10
	PUSH	%r11
	movq	PROBE_PUSHED_BYTES(%rsp), %rax
	notq	%rax
	andq	$-STUB_BYTES, %rax	/* the probe */
	leaq	PROBE_STACK_BYTES(%rsp), %rsi
	movq	PROBE_ARGUMENT_AT(%rax), %rdx
	movq	%rax, %rcx
	testb	$PROBE_DIRECTION, PROBE_PUSHED_BYTES - 7(%rsp)
	jnz	4f
1:	call	*PROBE_HANDLER_AT(%rax)
	popq	%r11
	popq	%r10
	popq	%r9
	popq	%r8
	popq	%rsi
	popq	%rdx
	popq	%rcx
	.cfi_adjust_cfa_offset -56
	/*
	 * popfq is slow: the arithmetic flags are made of a byte (sahf) and a
	 * sum that overflows if they say so. Others have not changed.
	 */
	movq	8(%rsp), %rax
	testb	$PROBE_DIRECTION, %ah
	jnz	5f
2:	xchgb	%al, %ah
	andb	$PROBE_OVERFLOW, %al
	addb	$0x80 - PROBE_OVERFLOW, %al
	sahf
	popq	%rax
	.cfi_adjust_cfa_offset -8
	leaq	8(%rsp), %rsp
	.cfi_adjust_cfa_offset -8
	notq	(%rsp)
	ret
4:	.cfi_def_cfa_offset 8 + 8 + PROBE_PUSHED_BYTES - 8
	cld				/* as C wants it */
	jmp	1b
5:	.cfi_def_cfa_offset 24
	std
	jmp	2b
	.cfi_endproc
	.size	hot_thunk_probe, . - hot_thunk_probe

hot_thunks_end:

	.section .note.GNU-stack, "", @progbits
