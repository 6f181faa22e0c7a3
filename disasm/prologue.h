/* SPDX-License-Identifier: MIT */
/*
 * Can a function's entry be replaced by a way to its stub, and which?
 *
 *	f:	endbr64			<- stays, patch_offset = 4
 *		push %rbp		<- patched from here
 *		mov  %rsp,%rbp
 *		sub  $0x20,%rsp		<- displaced_bytes = 1 + 3 + 4
 *
 * The ways in order of preference, each of which needs less than the one
 * before it; what they write of a jmp rel32 is in upper case:
 *
 *	JUMP		E9 xx xx xx xx	inside the function
 *	JUMP_PADDED	E9 xx xx xx xx	over its end, into the padding behind
 *	JUMP_SHORT	EB xx		to a place near by for JUMP's bytes:
 *					padding, or behind another's JUMP
 *	JUMP_PUNNED	E9 xx xx yy yy	where yy stay as they are, entered by
 *					branches, or the next function's
 *	TRAP		CC
 *
 * displaced_bytes counts what is executed only: whole instructions, and less
 * than is overwritten where a return or jump stands that early, with padding
 * behind it. All of it must be able to run elsewhere (movable.h).
 *
 * Jumps of the function's own back to its entry do no harm: they arrive in the
 * stub with its own exit as their return address, and where the analysis knows of
 * one (WIRE_LOOPS) the stub takes that for no call.
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
	size_t padding_bytes; /* between its end and the next function */
	uint32_t targets;     /* bit i: a branch leads to code + i, i = 0..31 */
};

struct prologue {
	enum verdict verdict;
	uint8_t patch_offset;    /* 0 unless hooked */
	uint8_t displaced_bytes; /* 0 unless hooked */
};

/*
 * Each answers with its way, or with what stands against it; prologue_judge_host
 * with a JUMP behind which there is room for a second one, of a JUMP_SHORT near
 * by that finds no padding. Whether there is
 * a place for the jump of a JUMP_SHORT, and whether any address that the
 * JUMP_PUNNED can reach is of use, is left to the caller.
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
