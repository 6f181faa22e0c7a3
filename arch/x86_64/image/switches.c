/* SPDX-License-Identifier: MIT */
/* See image/switches.h. */
#include "image/switches.h"

#define REX_W   8
#define REX_R   4
#define REX_B   1

#define RSP     4
#define RBP     5
#define SIB     4 /* in the field rm it means that a SIB byte follows */

#define NO_BASE 16 /* the address is absolute or relative to rip */

/* Opcodes, with REX.W. */
enum {
	ADD_STORE = 0x01,
	ADD_LOAD = 0x03,
	POP_RSP = 0x5c,
	XCHG = 0x87,
	MOV_STORE = 0x89,
	MOV_LOAD = 0x8b,
	LEA = 0x8d,
	XCHG_RAX_RSP = 0x94,
};

/* op to, from; one of the operands may be memory. */
struct move {
	uint8_t opcode;
	uint8_t is_memory;
	uint8_t reg;
	/* the other register, or the memory operand's base, or NO_BASE */
	uint8_t rm;
};

/*
 * Returns the base register of a memory operand, or NO_BASE. Without a
 * displacement (mod 0), the number of rbp and r13 stands for no base.
 */
static uint8_t base_of(const uint8_t *code, const struct insn *insn)
{
	const uint8_t modrm = code[2];
	const int has_sib = (modrm & 7) == SIB && insn->length > 3;
	const uint8_t base = (has_sib ? code[3] : modrm) & 7;

	if (modrm >> 6 == 0 && base == RBP)
		return NO_BASE;
	return (uint8_t)(base | (code[0] & REX_B) << 3);
}

static int read_move(const uint8_t *code, const struct insn *insn,
		     struct move *move)
{
	const uint8_t rex = code[0], modrm = code[2];

	if (insn->length < 3 || (rex & 0xf8) != 0x48)
		return 0;
	*move = (struct move){
		.opcode = code[1],
		.is_memory = modrm >> 6 != 3,
		.reg = (uint8_t)((modrm >> 3 & 7) | (rex & REX_R) << 1),
		.rm = (uint8_t)((modrm & 7) | (rex & REX_B) << 3),
	};
	if (move->is_memory)
		move->rm = base_of(code, insn);
	return 1;
}

/* Notes where the stack pointer, or a slightly greater value, is saved. */
static void note_saving(struct switch_watch *watch, const struct move *move)
{
	if (move->opcode == MOV_STORE && move->reg == RSP) {
		if (!move->is_memory)
			watch->has_saved |= UINT32_C(1) << move->rm;
		else if (move->rm == RBP)
			watch->has_saved_in_frame = 1;
	} else if (move->rm == RSP &&
		   ((move->opcode == MOV_LOAD && !move->is_memory) ||
		    move->opcode == LEA)) {
		watch->has_saved |= UINT32_C(1) << move->reg;
	}
}

static int has_saved(const struct switch_watch *watch, uint8_t where)
{
	return where == RSP || where == RBP || watch->has_saved >> where & 1;
}

static int is_switch(const struct switch_watch *watch, const struct move *move)
{
	const int to_rm = !move->is_memory && move->rm == RSP;
	const int to_reg = move->reg == RSP;

	switch (move->opcode) {
	case MOV_STORE:
		return to_rm && !has_saved(watch, move->reg);
	case MOV_LOAD:
		if (!to_reg)
			return 0;
		if (!move->is_memory)
			return !has_saved(watch, move->rm);
		return move->rm != RSP &&
		       (move->rm != RBP || !watch->has_saved_in_frame);
	case LEA:
		return to_reg && !has_saved(watch, move->rm);
	case ADD_STORE:
		return to_rm;
	case ADD_LOAD:
		return to_reg;
	case XCHG:
		return to_rm || to_reg;
	default:
		return 0;
	}
}

int switch_watch_insn(struct switch_watch *watch, const uint8_t *code,
		      const struct insn *insn)
{
	struct move move;

	if (insn->length == 1)
		return *code == POP_RSP;
	if (insn->length == 2)
		return code[0] == 0x48 && code[1] == XCHG_RAX_RSP;
	if (!read_move(code, insn, &move))
		return 0;
	if (is_switch(watch, &move))
		return 1;
	note_saving(watch, &move);
	return 0;
}
