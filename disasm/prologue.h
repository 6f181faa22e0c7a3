/* SPDX-License-Identifier: MIT */
/*
 * Decides whether and how a function's entry can be replaced by a jump to its
 * stub.
 *
 *	f:	endbr64			<- Stays: patch_offset = 4.
 *		push %rbp		<- Patched from here.
 *		mov %rsp,%rbp
 *		sub $0x20,%rsp		<- The end: displaced_bytes = 8.
 *
 * The methods in order of preference; each needs fewer bytes than the one
 * before it. Bytes in upper case are written:
 *
 *	JUMP		E9 xx xx xx xx	Inside the function.
 *	JUMP_PADDED	E9 xx xx xx xx	Over its end, into the padding.
 *	JUMP_SHORT	EB xx		To JUMP's bytes nearby: in padding, or
 *					behind another function's JUMP.
 *	JUMP_PUNNED	E9 xx xx yy yy	The bytes yy are unchanged: targets of
 *					branches, the next function, or
 *					instructions that cannot be moved.
 *	TRAP		CC
 *
 * displaced_bytes counts executed bytes only, as whole instructions. The value
 * is less than the number of overwritten bytes if a return or jump ends the
 * flow early and padding follows. All of these instructions must be movable
 * (movable.h).
 *
 * Jumps of the function to its own entry do no harm: they arrive in the stub
 * with the stub's own exit as their return address. If the analysis has found
 * one (WIRE_LOOPS), the stub does not count it as a call.
 */
#ifndef CLEW_DISASM_PROLOGUE_H
#define CLEW_DISASM_PROLOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"
#include "disasm/jumps.h"
#include "wire/verdict.h"

#define PATCH_BYTES       JUMP_BYTES
#define PATCH_SHORT_BYTES JUMP_SHORT_BYTES
#define PATCH_TRAP_BYTES  BREAKPOINT_BYTES

struct prologue_query {
	const uint8_t *code; /* size_bytes + padding_bytes are readable */
	size_t size_bytes;
	size_t padding_bytes; /* up to the next function */
	uint32_t targets;     /* bit i: a branch targets code + i, i = 0..31 */
};

struct prologue {
	enum verdict verdict;
	uint8_t patch_offset;    /* 0 unless hooked */
	uint8_t displaced_bytes; /* 0 unless hooked */
};

/*
 * Each returns the verdict of one method, or the reason against it.
 * prologue_judge_host() requires a JUMP with room for a second one behind it,
 * for a nearby JUMP_SHORT that finds no padding. The caller must check that
 * there is room for the jump of a JUMP_SHORT, and that the JUMP_PUNNED reaches
 * a usable address.
 */
struct prologue prologue_judge(const struct decoder *decoder,
			       const struct prologue_query *query);
struct prologue prologue_judge_short(const struct decoder *decoder,
				     const struct prologue_query *query);
struct prologue prologue_judge_punned(const struct decoder *decoder,
				      const struct prologue_query *query);
struct prologue prologue_judge_host(const struct decoder *decoder,
				    const struct prologue_query *query);
struct prologue prologue_judge_trap(const struct decoder *decoder,
				    const struct prologue_query *query);

#endif
