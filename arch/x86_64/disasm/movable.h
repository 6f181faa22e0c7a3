/* SPDX-License-Identifier: MIT */
/*
 * The instructions that relocate() can move. relocate() and the verdict on
 * prologues share this list:
 *
 *	plain, nop, endbr64	copied, rip-relative displacements adjusted
 *	jmp, jcc rel		long form, same target
 *	loop*, jrcxz, jecxz	short form, to a long jump
 *	jmp r/m, ret, ud2, hlt	copied, also adjusted
 *	call rel, call r/m	only as the last one: it returns to the
 *				original code, so nothing may follow it
 *
 * All other instructions cannot be moved: syscall and int3 expose their address
 * to the kernel, and unlisted ones are unproven.
 */
#ifndef CLEW_DISASM_MOVABLE_H
#define CLEW_DISASM_MOVABLE_H

#include "disasm/decode.h"

#define MODRM_REG(modrm) ((modrm) >> 3 & 7)
#define MODRM_CALL_NEAR  2 /* ff /2 */
#define MODRM_JMP_NEAR   4 /* ff /4 */

/*
 * A moved call r/m becomes a jmp r/m after the return address is pushed, which
 * changes rsp. A memory operand can be adjusted, but rsp itself (mod 3, rm 4,
 * which may also be r12) would have another value.
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
