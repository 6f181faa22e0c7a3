/* SPDX-License-Identifier: MIT */
/*
 * Which instructions relocate() can move: the one list that it and the verdict
 * on prologues share.
 *
 *	plain, nop, endbr64	copied, rip-relative displacements adjusted
 *	jmp, jcc rel		long form, target kept
 *	loop*, jrcxz, jecxz	the short form, over a long jump
 *	jmp r/m, ret, ud2, hlt	copied, likewise adjusted
 *	call rel, call r/m	as the last one only: the return address is the
 *				original's, so nothing may come after it
 *
 * Everything else stays: syscall and int3 show their address to the kernel, and
 * what is not listed is not proven.
 */
#ifndef CLEW_DISASM_MOVABLE_H
#define CLEW_DISASM_MOVABLE_H

#include "disasm/decode.h"

#define MODRM_REG(modrm) ((modrm) >> 3 & 7)
#define MODRM_CALL_NEAR  2 /* ff /2 */
#define MODRM_JMP_NEAR   4 /* ff /4 */

/*
 * call r/m becomes jmp r/m behind a pushed return address. That moves rsp: an
 * operand in memory is found all the same, but rsp itself (mod 3, rm 4, which
 * may also be r12) would be another address.
 */
static inline int insn_is_movable_call(const struct insn *insn,
				       const uint8_t *code)
{
	uint8_t modrm = code[insn->modrm_at];

	return insn->modrm_at && MODRM_REG(modrm) == MODRM_CALL_NEAR &&
	       (modrm & 0xc7) != 0xc4;
}

static inline int insn_is_movable(const struct insn *insn, const uint8_t *code,
				  int is_last)
{
	switch ((enum insn_kind)insn->kind) {
	case INSN_PLAIN:
	case INSN_NOP:
	case INSN_ENDBR:
	case INSN_JUMP:
	case INSN_JUMP_IF:
	case INSN_LOOP:
	case INSN_JUMP_INDIRECT:
	case INSN_RETURN:
	case INSN_STOP:
		return 1;
	case INSN_CALL:
		return is_last;
	case INSN_CALL_INDIRECT:
		return is_last && insn_is_movable_call(insn, code);
	case INSN_TRAP:
	case INSN_SYSTEM:
		return 0;
	}
	return 0;
}

#endif
