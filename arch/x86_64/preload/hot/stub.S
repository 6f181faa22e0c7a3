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
 *	hot_stub_traced_leaf	in these, functions that call nothing
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
	.set	IF_ABOVE, 7

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
#define BYTES         STUB_BYTES
#define ENTRY_AT      0x84
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
#define ENTRY_AT      0x84
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
#define ENTRY_AT      0x84
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
#define ENTRY_AT      0x69
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
#define ENTRY_AT      0x69
#define HOT_END       0x1d3
#include "preload/hot/stub_template.inc"

	.set	ELSEWHERE_TAIL, .Lplain_elsewhere_tail - .Lplain_elsewhere_call
	.set	LEAF_COLD_BIT, 0x100	/* of addresses: it is behind ENTRY_AT */
	.set	LEAF_FRAMED_AT, .Lleaf_framed - .Lleaf_start
	.set	TRACED_LEAF_FRAMED_AT, .Ltraced_leaf_framed - .Ltraced_leaf_start

#include "preload/hot/thunks.inc"
