/* SPDX-License-Identifier: MIT */
/*
 * Can a function's entry be replaced by a 5-byte jump, and where?
 *
 *	f:	endbr64			<- stays, patch_offset = 4
 *		push %rbp		<- patched from here
 *		mov  %rsp,%rbp
 *		sub  $0x20,%rsp		<- displaced_bytes = 1 + 3 + 4
 *
 * The jump may run over the function's end into the padding before the next
 * one (JUMP_PADDED). displaced_bytes counts what is executed only: it is less
 * than 5 where a return or jump stands that early, with padding behind it.
 */
#ifndef CLEW_DISASM_PROLOGUE_H
#define CLEW_DISASM_PROLOGUE_H

#include <stddef.h>
#include <stdint.h>

#include "disasm/decode.h"
#include "wire/verdict.h"

#define PATCH_BYTES 5 /* jmp rel32 */

struct prologue_query {
	const uint8_t *code; /* size_bytes + padding_bytes are readable */
	size_t size_bytes;
	size_t padding_bytes; /* between its end and the next function */
	uint32_t targets;     /* bit i: a branch leads to code + i, i = 0..31 */
	uint32_t loops;       /* likewise, the jumps of the function itself */
};

struct prologue {
	enum verdict verdict;
	uint8_t patch_offset;    /* 0 unless hooked */
	uint8_t displaced_bytes; /* 0 unless hooked */
};

struct prologue prologue_judge(const struct decoder *decoder,
			       const struct prologue_query *query);

#endif
