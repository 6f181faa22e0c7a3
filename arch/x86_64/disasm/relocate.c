/* SPDX-License-Identifier: MIT */
/*
 * A relocated call returns into the original code, so that code that reads
 * return addresses sees the usual ones. Pushing that address takes an
 * additional call: every return must match a call in the CPU's return
 * predictor, or all outer returns of the thread mispredict.
 *
 *		call	1f		one entry for the predictor
 *		int3			CPUs do not count a call to the next
 *					instruction
 *	1:	movq	%rax, -8(%rsp)	the callee may overwrite this word
 *		leaq	address(%rip), %rax
 *		movq	%rax, (%rsp)	the original's return address
 *		movq	-8(%rsp), %rax
 *		jmp	target
 *
 * The predictor's depth is then right and its address wrong: this one return
 * mispredicts, about 8 ns on Zen 5, in functions that make a call within the
 * first bytes that a hook displaces.
 *
 * No flag changes. The address is written by one store, because two stores of
 * four bytes could not be forwarded to the return that reads it. The address is
 * relative to the stub, so that both may be mapped anywhere at a fixed distance
 * (preload/stubs/prelinked.h).
 */
#include "disasm/relocate.h"

#include <errno.h>
#include <string.h>

#include "disasm/jumps.h"
#include "disasm/movable.h"

/* Output; `err` is the first error, after which nothing is written. */
struct writer {
	uint8_t *out;
	size_t room;
	size_t used;
	uint64_t out_pc;
	int err;
};

/* The instructions that are moved. */
struct stretch {
	uint64_t pc;
	uint64_t end_pc;
	uint64_t again_pc; /* target of branches to their first instruction */
};

static void put(struct writer *w, const void *bytes, size_t count)
{
	if (!w->err && count > w->room - w->used)
		w->err = -ENOSPC;
	if (w->err)
		return;
	memcpy(w->out + w->used, bytes, count);
	w->used += count;
}

static void put_u32(struct writer *w, uint32_t word)
{
	put(w, &word, sizeof(word));
}

/* Writes a displacement to `target`, relative to `tail` bytes after its end. */
static void put_rel32(struct writer *w, uint64_t target, size_t tail)
{
	int32_t rel = 0;

	if (!w->err)
		w->err = jump_distance(w->out_pc + w->used + 4 + tail, target,
				       &rel);
	put_u32(w, (uint32_t)rel);
}

static void put_jmp(struct writer *w, uint64_t target)
{
	put(w, "\xe9", 1); /* jmp rel32 */
	put_rel32(w, target, 0);
}

/* Writes the instruction with the target of a rip-relative operand kept. */
static void put_moved(struct writer *w, const struct insn *insn,
		      const uint8_t *code, uint64_t pc)
{
	size_t at = insn->rip_disp_at;
	size_t tail = insn->length - at - 4;
	int32_t disp;

	if (at == 0) {
		put(w, code, insn->length);
		return;
	}
	memcpy(&disp, code + at, 4);
	put(w, code, at);
	put_rel32(w, pc + insn->length + (uint64_t)(int64_t)disp, tail);
	put(w, code + at + 4, tail);
}

/* Pushes return_pc, as a call before it would. */
static void put_push_return(struct writer *w, uint64_t return_pc)
{
	put(w, "\xe8\x01\x00\x00\x00\xcc", 6); /* call .+6; int3 */
	put(w, "\x48\x89\x44\x24\xf8", 5);     /* movq %rax, -8(%rsp) */
	put(w, "\x48\x8d\x05", 3);             /* leaq ...(%rip), %rax */
	put_rel32(w, return_pc, 0);
	put(w, "\x48\x89\x04\x24", 4);     /* movq %rax, (%rsp) */
	put(w, "\x48\x8b\x44\x24\xf8", 5); /* movq -8(%rsp), %rax */
}

/*
 * Returns whether the operand is memory with base rsp: rm 4, SIB base 4, no
 * REX.B.
 */
static int is_based_on_rsp(const struct insn *insn, const uint8_t *code)
{
	size_t at = insn->modrm_at;
	uint8_t rex = at >= 2 ? code[at - 2] : 0;

	return code[at] >> 6 != 3 && (code[at] & 7) == 4 &&
	       (code[at + 1] & 7) == 4 && (rex & 0xf1) != 0x41;
}

/*
 * Writes a jmp through the memory that was at disp(%rsp,...) before the push.
 */
static void put_jmp_through_stack(struct writer *w, const struct insn *insn,
				  const uint8_t *code)
{
	size_t at = insn->modrm_at;
	int32_t disp = 0;

	if (code[at] >> 6 == 1)
		disp = (int8_t)code[at + 2];
	else if (code[at] >> 6 == 2)
		memcpy(&disp, code + at + 2, sizeof(disp));
	/* put_push_return() overwrites the words just below rsp. */
	if (!w->err && (disp > INT32_MAX - 8 || (disp > -24 && disp < 0)))
		w->err = -EINVAL;
	put(w, code, at);
	put(w, &(uint8_t){ 0x80 | MODRM_JMP_NEAR << 3 | 4 }, 1);
	put(w, code + at + 1, 1);
	put_u32(w, (uint32_t)disp + 8);
}

static void put_call_indirect(struct writer *w, const struct insn *insn,
			      const uint8_t *code, uint64_t pc)
{
	uint8_t jmp[INSN_MAX_BYTES];

	put_push_return(w, pc + insn->length);
	if (is_based_on_rsp(insn, code)) {
		put_jmp_through_stack(w, insn, code);
		return;
	}
	memcpy(jmp, code, insn->length);
	jmp[insn->modrm_at] = (uint8_t)((jmp[insn->modrm_at] & ~(7 << 3)) |
					MODRM_JMP_NEAR << 3);
	put_moved(w, insn, jmp, pc);
}

/* Returns the new target of a branch in the moved instructions. */
static uint64_t moved_target(struct writer *w, const struct stretch *stretch,
			     uint64_t target)
{
	if (target == stretch->pc)
		return stretch->again_pc;
	if (target > stretch->pc && target < stretch->end_pc)
		w->err = -EINVAL;
	return target;
}

static void put_jcc(struct writer *w, const struct insn *insn,
		    const uint8_t *code, uint64_t target)
{
	/*
	 * The opcode's last byte holds the condition: 7x rel8 or 0f 8x rel32.
	 */
	int is_near = insn->length >= 6 && code[insn->length - 6] == 0x0f;
	size_t opcode_at = insn->length - (is_near ? 5 : 2);

	put(w, "\x0f", 1);
	put(w, &(uint8_t){ 0x80 | (code[opcode_at] & 0x0f) }, 1);
	put_rel32(w, target, 0);
}

/*
 *		loop	1f	with its prefixes; only rel8 exists
 *		jmp	2f
 *	1:	jmp	target
 *	2:
 */
static void put_loop(struct writer *w, const struct insn *insn,
		     const uint8_t *code, uint64_t target)
{
	put(w, code, insn->length - 1U);
	put(w, "\x02\xeb\x05", 3);
	put_jmp(w, target);
}

static void put_insn(struct writer *w, const struct stretch *stretch,
		     const struct insn *insn, const uint8_t *code, uint64_t pc)
{
	uint64_t next_pc = pc + insn->length;
	uint64_t target = next_pc + (uint64_t)(int64_t)insn->branch_bytes;

	switch ((enum insn_kind)insn->kind) {
	case INSN_JUMP:
		put_jmp(w, moved_target(w, stretch, target));
		break;
	case INSN_JUMP_IF:
		put_jcc(w, insn, code, moved_target(w, stretch, target));
		break;
	case INSN_LOOP:
		put_loop(w, insn, code, moved_target(w, stretch, target));
		break;
	case INSN_CALL:
		put_push_return(w, next_pc);
		put_jmp(w, target);
		break;
	case INSN_CALL_INDIRECT:
		put_call_indirect(w, insn, code, pc);
		break;
	default:
		put_moved(w, insn, code, pc);
	}
}

int relocate_again(const struct decoder *decoder, const uint8_t *code,
		   size_t displaced_bytes, uint64_t pc, uint8_t *out,
		   size_t out_size, uint64_t out_pc, uint64_t again_pc)
{
	struct writer w = { .out = out, .room = out_size, .out_pc = out_pc };
	struct stretch stretch = { pc, pc + displaced_bytes, again_pc };
	struct insn insn = { .kind = INSN_PLAIN };
	size_t at = 0;

	while (at < displaced_bytes && !w.err) {
		const uint8_t *here = code + at;
		int err = decode_operands(decoder, here, displaced_bytes - at,
					  &insn);

		if (err)
			return err;
		at += insn.length;
		if (!insn_is_movable(&insn, here, at == displaced_bytes))
			return -EINVAL;
		put_insn(&w, &stretch, &insn, here, pc + at - insn.length);
	}
	if (!insn_ends_flow(&insn) && insn.kind != INSN_CALL &&
	    insn.kind != INSN_CALL_INDIRECT)
		put_jmp(&w, stretch.end_pc);
	return w.err ? w.err : (int)w.used;
}

int relocate(const struct decoder *decoder, const uint8_t *code,
	     size_t displaced_bytes, uint64_t pc, uint8_t *out, size_t out_size,
	     uint64_t out_pc)
{
	return relocate_again(decoder, code, displaced_bytes, pc, out, out_size,
			      out_pc, out_pc);
}
