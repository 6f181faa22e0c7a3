/* SPDX-License-Identifier: MIT */
/*
 * Numbers on which the assembly that calls run through (stub.S, the templates of
 * stubs) and the code in C agree: offsets in structures, places, sizes.
 *
 * Included by .S files: preprocessor definitions only.
 */
#ifndef CLEW_HOT_LAYOUT_H
#define CLEW_HOT_LAYOUT_H

#include "machine/address_space.h"
#include "preload/hot/places.h"

/* Offsets in struct hot_thread (thread.h asserts them). */
#define HOT_ID              0
#define HOT_MASK            8
#define HOT_TABLE           16
#define HOT_MULTIPLIER      24
#define HOT_STEP            32
#define HOT_ENTRY_BASE      40
#define HOT_EXIT_BASE       48
#define HOT_SHADOW_HALF     56
#define HOT_MISS_CALL       64
#define HOT_MISS_TAIL       72
#define HOT_VERIFY_CALL     80
#define HOT_VERIFY_TAIL     88
#define HOT_ENTER_ELSEWHERE 96
#define HOT_LEAVE_ELSEWHERE 104
#define HOT_GUARD           112
#define HOT_NATIVE          120
#define HOT_PROBE           128
#define HOT_ACCOUNTED       136
#define HOT_PAUSED          144
#define HOT_CLOSE           152
#define HOT_OPEN_TAIL       160
#define HOT_WINDOWS         168
#define HOT_TIME_BASE       176
#define HOT_STRAYS_LEFT     184
#define HOT_CARRIED         192
#define HOT_CARRIED_TOLD    200
#define HOT_JAVA_TOP        208
#define HOT_TRACE_NEXT      216
#define HOT_TRACE_LIMIT     224
#define HOT_TRACE_SPAN      232
#define HOT_TRACE_CALL      240
#define HOT_TRACE_TAIL      248
#define HOT_TRACE_RETURN    256
#define HOT_TRACE_BASE      264
#define HOT_TRACE_LEFT      272
#define HOT_TAIL            280
#define HOT_TAIL_COUNT      288
#define HOT_COMPILED_FRAME  384

/*
 * The shadow (shadow.h): 16 bytes of it for each 8 bytes of stack, at twice
 * the address (stack - STACK_LOW + half), where `half` is half of the shadow's
 * place: SHADOW_HALF (places.h), unless host/shadow_place.c has found another
 * place to be better. Stacks below STACK_LOW take a slower way; all do where that
 * much address space cannot be had.
 */
#define SHADOW_SLOT_BYTES 16

/*
 * Where time is taken (timing.h) a stack slot has these beside its shadow, at
 * three times the address (stack - STACK_LOW + third); likewise.
 */
#define TIME_START      0
#define TIME_ACCOUNTED  8
#define TIME_ID         16
#define TIME_SLOT_BYTES 24

/* Offsets in struct wire_times; a table has them in front, backwards. */
#define TIMES_ENDED     0
#define TIMES_TOTAL     8
#define TIMES_SELF      16
#define TIMES_MIN       24
#define TIMES_MAX       32
#define TIMES_HISTOGRAM 40
#define TIMES_LATEST    56
#define TIMES_BYTES     64
#define TIMES_PER_ENTRY 4 /* TIMES_BYTES / sizeof(struct wire_count) */

/* Stub memory is handed out in blocks of 16 MiB (window.h). */
#define WINDOW_SHIFT      24
#define WINDOW_HEAD_BYTES 4096 /* of a block, an ELF image (stub_image.h) */
#define WINDOW_COUNT      (1 << (ADDRESS_BITS - WINDOW_SHIFT))

/*
 * What a window's byte in hot_windows says. Stubs compare it with WINDOW_STUBS, by
 * an instruction that leaves three answers: the difference has even parity where
 * functions wait for returns, at stubs or at trampolines (trampoline.h), and
 * odd parity elsewhere, where it is greater than 0 if all is known.
 */
#define WINDOW_UNKNOWN     0
#define WINDOW_STUBS       2
#define WINDOW_MODULES     3 /* nothing executable but the text of modules */
#define WINDOW_TRAMPOLINES 5
#define WINDOW_SHARED      0xff /* something else as well */

/*
 * A stub has this size, or twice as much.
 * The key of its function is at the end of each STUB_BYTES, for whoever has an
 * address in it, and before it what kind of stub it is, and which part of one.
 *
 * In stubs of every kind the function returns to STUB_EXIT_AT, if its stack has a
 * place in the shadow of its own (hot/shadow.h): so the lowest byte of a return
 * address nearly tells a tail call from a call.
 */
#define STUB_BYTES    512
#define STUB_EXIT_AT  0x168
#define STUB_INDEX_AT 501 /* 4 bytes, where calls are written down: its index */
#define STUB_GUARD_AT 505 /* 1 byte: whom it serves */
#define STUB_LOOPS_AT 506 /* 1 byte: its function is in doubt, wire_loops() */
#define STUB_KIND_AT  507 /* 1 byte */
#define STUB_KEY_AT   508

#define STUB_PLAIN    0
#define STUB_TIMED    0 /* its second part: 1; never beside the other */
#define STUB_TRACED   0 /* likewise */
#define STUB_LEAF     2 /* beside STUB_PLAIN */
#define STUB_PROBE    4 /* preload/stubs/probe.h; has no parts */

/* Where a probe has what hot_thunk_probe calls, and that function's third argument. */
#define PROBE_ARGUMENT_AT 488 /* 8 bytes */
#define PROBE_LEAP_PC     128 /* see preload/stubs/probe.h */
#define PROBE_HANDLER_AT  496 /* 8 bytes */
#define PROBE_AT_JUMP_AT  504 /* 1 byte: whether the code there is a jump */
#define PROBE_IN_LEAF_AT  506 /* 1 byte: where it is, wire_is_leaf() */

/* Calls that a stub counts. */
#define STUB_IS_OPEN    0 /* all */
#define STUB_IS_GUARDED 1 /* those from the text of modules */
#define STUB_IS_WARY    2 /* ... and from code that somebody else generates */
#define STUB_IS_ASKING  3 /* all, and looks who calls (hot_enter_generated()) */

/*
 * Stack below a stub that its slow paths, in C, make do with; tests measure
 * it. Less than a guard page, and than what small stacks have to spare.
 */
#define SLOW_STACK_BYTES 1536

/* Kinds of holes that the composer fills in stubs (stubs/stub_write.c). */
#define HOLE_TLS   0 /* 32 bits: add the offset of struct hot_thread */
#define HOLE_KEY   1 /* 32 bits: the function's key */
#define HOLE_LOOPS 2 /* 1 byte: 1 if the function loops to its entry */
#define HOLE_INDEX 3 /* 32 bits: the function's index (wire/packet.h) */
/* 1 byte: a jump if not equal; always one, where tail calls do not nest */
#define HOLE_NESTS 4

/* What packets have (wire/packet.h; traced.c asserts it). */
#define TRACE_PLACE_SHIFT     22
#define TRACE_TAIL_WORD       0x00bf0002
#define TRACE_TAIL_BELOW_WORD 0x02bf0002
#define TRACE_TAIL_OUT_WORD   0x02ff0002
#define TRACE_SITE_WORD       0x01bf0003

/* Tables that the thunk of tail calls reads (tails.h). */
#define TAIL_CUTS_LOG2  12
#define TAIL_KNOWN_LOG2 13
#define TAIL_LOOPS_LOG2 10

#endif
