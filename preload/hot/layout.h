/* SPDX-License-Identifier: MIT */
/*
 * Constants that assembly (stub.S, the templates of stubs) and C share: offsets
 * in structures, addresses, sizes.
 *
 * This file is included by .S files, so it contains preprocessor definitions
 * only.
 */
#ifndef CLEW_HOT_LAYOUT_H
#define CLEW_HOT_LAYOUT_H

#include "machine/address_space.h"
#include "preload/hot/places.h"

/* Offsets in struct hot_thread (thread.h asserts them). */
#define HOT_ID               0
#define HOT_MASK             8
#define HOT_TABLE            16
#define HOT_MULTIPLIER       24
#define HOT_STEP             32
#define HOT_ENTRY_BASE       40
#define HOT_EXIT_BASE        48
#define HOT_SHADOW_HALF      56
#define HOT_MISS_CALL        64
#define HOT_MISS_TAIL        72
#define HOT_VERIFY_CALL      80
#define HOT_VERIFY_TAIL      88
#define HOT_ENTER_ELSEWHERE  96
#define HOT_LEAVE_ELSEWHERE  104
#define HOT_GUARD            112
#define HOT_NATIVE           120
#define HOT_PROBE            128
#define HOT_ACCOUNTED        136
#define HOT_PAUSED           144
#define HOT_CLOSE            152
#define HOT_OPEN_TAIL        160
#define HOT_WINDOWS          168
#define HOT_TIME_BASE        176
#define HOT_STRAYS_LEFT      184
#define HOT_CARRIED          192
#define HOT_CARRIED_REPORTED 200
#define HOT_JAVA_TOP         208
#define HOT_TRACE_NEXT       216
#define HOT_TRACE_LIMIT      224
#define HOT_TRACE_SPAN       232
#define HOT_TRACE_CALL       240
#define HOT_TRACE_TAIL       248
#define HOT_TRACE_RETURN     256
#define HOT_TRACE_BASE       264
#define HOT_TRACE_LEFT       272
#define HOT_TAIL             280
#define HOT_TAIL_COUNT       288
#define HOT_ASIDE            336
#define HOT_COMPILED_FRAME   384

/*
 * The shadow (shadow.h) has 16 bytes for each 8 bytes of stack. The shadow slot
 * of a stack address is at 2 * (stack - SHADOW_STACK_LOW + half). `half` is
 * half of the shadow's address: SHADOW_HALF (places.h), unless
 * host/shadow_place.c has chosen another address. Calls on stacks below
 * SHADOW_STACK_LOW take a slow path. If so much address space is not available,
 * calls on all stacks take the slow path.
 */
#define SHADOW_SLOT_BYTES 16

/*
 * Offsets in a time slot, which each stack slot has with --time=exact
 * (timing.h). The time slot of a stack address is at 3 * (stack -
 * SHADOW_STACK_LOW + third).
 */
#define TIME_START      0
#define TIME_ACCOUNTED  8
#define TIME_ID         16
#define TIME_SLOT_BYTES 24

/*
 * Offsets in struct wire_times. A count table is preceded by one such struct
 * for each of its entries, in reverse order.
 */
#define TIMES_ENDED     0
#define TIMES_TOTAL     8
#define TIMES_SELF      16
#define TIMES_MIN       24
#define TIMES_MAX       32
#define TIMES_HISTOGRAM 40
#define TIMES_LATEST    56
#define TIMES_BYTES     64
#define TIMES_PER_ENTRY 4 /* TIMES_BYTES / sizeof(struct wire_count) */

/* Stub memory is allocated in blocks of 16 MiB (window.h). */
#define WINDOW_SHIFT      24
#define WINDOW_HEAD_BYTES 4096
#define WINDOW_COUNT      (1 << (ADDRESS_BITS - WINDOW_SHIFT))

/*
 * Values of a window's byte in hot_windows. Stubs compare the byte with
 * WINDOW_STUBS by one instruction that distinguishes three cases. The
 * difference has even parity if the window contains addresses that functions
 * return to: stubs or trampolines (trampoline.h). Otherwise the parity is odd,
 * and the difference is greater than 0 if all code in the window is known.
 */
#define WINDOW_UNKNOWN     0
#define WINDOW_STUBS       2
#define WINDOW_MODULES     3 /* all code in the window is the text of modules */
#define WINDOW_TRAMPOLINES 5
#define WINDOW_SHARED      0xff /* the window also contains other code */

/*
 * A stub has this size or twice as much. Each STUB_BYTES of a stub end with its
 * function's key, preceded by the kind and part of the stub, so that code can
 * find the function of any address in a stub.
 *
 * A function returns to STUB_EXIT_AT in its stub, unless its stack is below
 * hot_shadow_low. Leaves usually return to their caller directly instead
 * (stub_leaf.inc), and probes have no exit. The offset is the same in all
 * stubs, so the lowest byte of a return address nearly distinguishes a tail
 * call from a call.
 */
#define STUB_BYTES   512
#define STUB_EXIT_AT 0x168
/* 4 bytes, used in traces only: the function's index (wire/packet.h). */
#define STUB_INDEX_AT 501
#define STUB_GUARD_AT 505 /* 1 byte: STUB_IS_... */
/* 1 byte: whether the function may loop to its entry (wire_loops()). */
#define STUB_LOOPS_AT 506
#define STUB_KIND_AT  507 /* 1 byte */
#define STUB_KEY_AT   508

#define STUB_PLAIN    0
/*
 * A timed or traced stub may have two parts of STUB_BYTES; the kind in the
 * second part is greater by 1. No process has both timed and traced stubs, so
 * both have the same kind.
 */
#define STUB_TIMED  0
#define STUB_TRACED 0
#define STUB_LEAF   2 /* in processes with STUB_PLAIN or STUB_TRACED */
#define STUB_PROBE  4 /* preload/stubs/probe.h; has one part */

/*
 * Offsets in a probe: the handler that hot_thunk_probe calls, and the handler's
 * third argument.
 */
#define PROBE_ARGUMENT_AT 488 /* 8 bytes */
#define PROBE_LEAP_PC     128 /* see preload/stubs/probe.h */
#define PROBE_HANDLER_AT  496 /* 8 bytes */
#define PROBE_AT_JUMP_AT  504 /* 1 byte: whether the code there is a jump */
/* 1 byte: whether the probe is in a leaf (wire_is_leaf()) */
#define PROBE_IN_LEAF_AT 506

/* Which calls a stub counts. */
#define STUB_IS_OPEN    0 /* all calls */
#define STUB_IS_GUARDED 1 /* calls from the text of modules */
/* Calls from the text of modules and from code that other modules generate. */
#define STUB_IS_WARY 2
/*
 * All calls; generated code that calls becomes a function of the context
 * (hot_enter_generated()).
 */
#define STUB_IS_ASKING 3

/*
 * Maximum number of bytes of the program's stack that clew's C code uses below
 * a stub. Tests measure this. It is less than a guard page, and small stacks
 * can spare it.
 */
#define SLOW_STACK_BYTES 1536

/* Kinds of holes that are filled in for each stub (stubs/stub_write.c). */
#define HOLE_TLS   0 /* 32 bits: add the offset of struct hot_thread */
#define HOLE_KEY   1 /* 32 bits: the function's key */
#define HOLE_LOOPS 2 /* 1 byte: 1 if the function loops to its entry */
#define HOLE_INDEX 3 /* 32 bits: the function's index (wire/packet.h) */
/*
 * 1 byte, the condition of a jump: "not equal", or "always" if a function that
 * was reached by a tail call does not count below the function that jumped
 */
#define HOLE_NESTS 4

/* Constants of packets (wire/packet.h; traced.c asserts them). */
#define TRACE_PLACE_SHIFT     22
#define TRACE_TAIL_WORD       0x00bf0002
#define TRACE_TAIL_BELOW_WORD 0x02bf0002
#define TRACE_TAIL_OUT_WORD   0x02ff0002
#define TRACE_SITE_WORD       0x01bf0003
/* The largest size of a window: the places of words, 8 bytes each. */
#define TRACE_PLACES_BYTES 8192

/* Offsets in struct hot_aside (thread.h). */
#define ASIDE_DEPTH_SPAN 0
#define ASIDE_DEPTH_DEEP 8
#define ASIDE_DEPTH_LOW  16
#define ASIDE_DEPTH_MAX  24
#define ASIDE_LEVELS     16864

/* Sizes of the tables that the thunk of tail calls reads (tails.h). */
#define TAIL_CUTS_LOG2  12
#define TAIL_KNOWN_LOG2 13
#define HOT_WAYS_LOG2   13
#define TAIL_LOOPS_LOG2 10

#endif
