/* SPDX-License-Identifier: MIT */
/*
 * The stub: the code between a caller and a hooked function.
 *
 * The entry of a hooked function is replaced by a jump to its own copy of a
 * template. The stub moves the return address into the shadow, computes the
 * callee's id, counts the call, and *calls* the displaced first instructions.
 * The return address of that call lands in the slot of the original one.
 * Therefore the function finds its stack arguments where it expects them, and
 * each call is answered by one return, as the CPU predicts.
 *
 *	caller ---call f---> f: jmp stub
 *	                     entry -> id -> sink -> call displaced
 *	                                              | f runs, returns
 *	caller <--ret------- exit <-------------------'
 *
 * The stub preserves all general registers, because gcc's -fipa-ra lets callers
 * of local functions keep values in any of them. The stub never touches SSE
 * registers. The stub saves rcx and rdx in the red zone, the 128 bytes below
 * the stack pointer that signal handlers do not overwrite. Flags are free at a
 * function's entry and preserved at the exit.
 *
 * A stub consists of entry, id, sink and exit, in this order. Only the sink
 * depends on how calls are recorded. In timed stubs (stub_timed.inc) and traced
 * stubs (stub_traced.inc) the exit also does a part of the recording.
 *
 * A function that is reached by a tail call has the exit of another stub as its
 * return address. All exits are at offset STUB_EXIT_AT of their stubs, so an
 * ordinary call compares only the lowest byte of its return address (the
 * glance). The stub loads all eight bytes of the return address, as the call
 * has stored them: a narrower load waits for the store (sqlite3 on Zen 5: 4.1
 * times the native time instead of 2.2). If the byte matches, the window map
 * decides (preload/stubs/window.h). The code before the exit begins at
 * ENTRY_AT, which depends on the length of that code.
 *
 * If a module generates code at run time, this code and the module may inspect
 * each other's return addresses. The stubs of such a module are *guarded*: they
 * do not count calls from code that is not the text of a module. Guarding a
 * stub changes two bytes, so that its glance matches all calls, while any
 * thread may execute the stub (preload/patch/guard.h).
 *
 * stub_template.inc is assembled once for each of these templates:
 *
 *	hot_stub_plain	counts calls; most processes use it
 *	hot_stub_leaf	the same for functions that call nothing (stub_leaf.inc)
 *	hot_stub_timed	measures the time of calls
 *	hot_stub_traced	writes each call into a packet
 *	hot_stub_traced_leaf	the same for functions that call nothing
 *	hot_stub_stamped	also writes each return, with its time
 *	hot_stub_sited	writes each call with its call site
 *	hot_stub_stamped_sited	both
 *
 * Stubs load 64-bit constants from the thread's block, because immediate
 * operands are slower (fib(38): 0.2 ns a call on Zen 4).
 *
 * HOLE marks bytes that preload/stubs/stub_write.c fills in. The room between
 * the exit and HOT_END is for the displaced instructions.
 */
#include "preload/hot/layout.h"

	.set	CALL_BYTES, 5
	.set	IF_CARRY, 2
	.set	IF_NO_CARRY, 3
	.set	IF_EQUAL, 4
	.set	IF_NOT_EQUAL, 5
	.set	IF_PARITY_ODD, 11
	.set	IF_GREATER, 15
	.set	IF_ABOVE, 7

/*
 * A function's jump leads to the same offset whether or not its stub is a
 * leaf's (stub_write.h).
 */
#define COUNTED_ENTRY_AT 0xc6
#define TRACED_ENTRY_AT  0x83

/*
 * An operand in the shadow slot of which `half` has half of the address. Adding
 * the register to itself is shorter than offset(, half, 2).
 */
#define SHADOW(offset, half) offset(half, half)

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
#define ENTRY_AT      COUNTED_ENTRY_AT
#define HOT_END       0x1c5
#include "preload/hot/stub_template.inc"

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
#define ENTRY_AT      COUNTED_ENTRY_AT
#define ELSEWHERE_AT  (.Lplain_elsewhere - .Lplain_start)
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
#define ENTRY_AT      0x79
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
#define BYTES         STUB_BYTES
#define ENTRY_AT      TRACED_ENTRY_AT
#define HOT_END       0x1cc
#include "preload/hot/stub_template.inc"

#define TEMPLATE      hot_stub_traced_leaf
#define SECTION       .rodata.hot_stub_traced_leaf
#define HOLES_SECTION .rodata.hot_stub_traced_leaf_holes
#define L(name)       .Ltraced_leaf_##name
#define IS_TIMED      0
#define IS_TRACED     1
#define IS_STAMPED    0
#define IS_SITED      0
#define IS_LEAF       1
#define KIND          STUB_LEAF
#define BYTES         STUB_BYTES
#define ENTRY_AT      TRACED_ENTRY_AT
#define ELSEWHERE_AT  (.Ltraced_elsewhere - .Ltraced_start)
#define HOT_END       (STUB_EXIT_AT - CALL_BYTES)
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
#define BYTES         STUB_BYTES
#define ENTRY_AT      TRACED_ENTRY_AT
#define HOT_END       0x1cc
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
#define ENTRY_AT      0x64
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
#define ENTRY_AT      0x64
#define HOT_END       0x1d3
#include "preload/hot/stub_template.inc"

	.set	ELSEWHERE_TAIL, .Lplain_elsewhere_tail - .Lplain_elsewhere_call
	.set	LEAF_COLD_BIT, 0x100	/* set in addresses behind ENTRY_AT */
	.set	LEAF_FRAMED_AT, .Lleaf_framed - .Lleaf_start
	.set	TRACED_LEAF_FRAMED_AT, \
		.Ltraced_leaf_framed - .Ltraced_leaf_start

#include "preload/hot/thunks.inc"
