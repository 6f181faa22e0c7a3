/* SPDX-License-Identifier: MIT */
/* Shared by registers.c and registers_x86_64.S, so the offsets are plain. */
#ifndef CLEW_TESTS_REGISTERS_H
#define CLEW_TESTS_REGISTERS_H

#define GPRS         16 /* in the order of their encoding; rsp is not set */
#define XMMS         16
#define FLAGS_OFFSET (GPRS * 8)
#define XMM_OFFSET   (FLAGS_OFFSET + 16)
#define STATE_BYTES  (XMM_OFFSET + XMMS * 16)
#define ARITHMETIC   0x8d5 /* the flags OF SF ZF AF PF CF */

#ifndef __ASSEMBLER__
#include <stdint.h>

struct state {
	uint64_t gpr[GPRS];
	uint64_t flags;
	uint64_t rsp; /* as torture_call found it */
	uint64_t xmm[XMMS][2];
};
_Static_assert(sizeof(struct state) == STATE_BYTES, "known to assembly");

/*
 * Values that the caller sets and the callee finds; that the callee sets and
 * the caller finds.
 */
extern _Thread_local struct state torture_given, torture_found;
extern _Thread_local struct state torture_reply, torture_result;
extern _Thread_local void *torture_callee;

/* Sets every register to torture_given, and calls torture_callee. */
void torture_call(void);

/*
 * Callees do the same, but their first instructions are relocated differently.
 */
void torture_plain(void);
void torture_endbr(void);
void torture_rip_relative(void);
void torture_tail(void);
void torture_tail_indirect(void);
void torture_branch(void);
void torture_call_first(void);
void torture_nops(void);
void torture_stack(void);
#endif
#endif
