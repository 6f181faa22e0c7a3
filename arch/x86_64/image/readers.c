/* SPDX-License-Identifier: MIT */
/*
 * See readers.h. Operands are decoded from the bytes, because the scan of a
 * whole module does not decode them. Only the usual instructions for moving 64
 * bits are recognized.
 */
#include "image/readers.h"

#include <string.h>

#include "image/frame_columns.h"

#define REX_W     8
#define REX_R     4
#define REX_X     2
#define REX_B     1

#define MOV_STORE 0x89
#define MOV_LOAD  0x8b

struct operation {
	/* NULL if the instruction does not access memory */
	const uint8_t *modrm;
	const uint8_t *end;
	uint8_t rex;
};

/*
 * Returns whether an opcode of one byte, after REX.W, accesses 64 bits of
 * memory; lea (8d) does not.
 */
static int moves_64_bits(uint8_t opcode)
{
	switch (opcode) {
	case 0x81:
	case 0x83:
	case 0x85:
	case 0x87:
	case 0x89:
	case 0x8b:
	case 0xc7:
	case 0xf7:
		return 1;
	default: /* add to cmp, in both directions: 01, 03, 09, 0b, 11... */
		return opcode < 0x40 && (opcode & 0x05) == 0x01;
	}
}

/*
 * Returns whether an opcode after 0f is a movq or movhps to a vector register.
 */
static int moves_to_vector(const uint8_t *prefixes, uint8_t rex, uint8_t opcode)
{
	switch (opcode) {
	case 0x7e:
		return *prefixes == 0xf3;
	case 0x16:
		return 1;
	case 0x6e:
		return (rex & REX_W) != 0;
	default:
		return 0;
	}
}

static struct operation operation_of(const uint8_t *code,
				     const struct insn *insn)
{
	struct operation op = { .end = code + insn->length };
	const uint8_t *at = code;

	while (at < op.end && (*at == 0x66 || *at == 0xf2 || *at == 0xf3))
		at++;
	if (at < op.end && (*at & 0xf0) == 0x40)
		op.rex = *at++;
	if (op.end - at < 2)
		return op;
	if (at[0] == 0x0f && op.end - at >= 3 &&
	    moves_to_vector(code, op.rex, at[1]))
		op.modrm = at + 2;
	else if (at[0] == 0xff && (at[1] >> 3 & 7) == 6) /* push */
		op.modrm = at + 1;
	else if ((op.rex & REX_W) && moves_64_bits(at[0]))
		op.modrm = at + 1;
	return op;
}

/*
 * Returns whether the operand is disp(%rsp) or disp(%rbp); sets the column and
 * the displacement.
 */
static int stack_operand(const struct operation *op, uint64_t *column,
			 int64_t *offset)
{
	uint8_t mod = *op->modrm >> 6;
	uint8_t rm = *op->modrm & 7;
	const uint8_t *disp = op->modrm + 1;
	int32_t wide = 0;

	if (mod == 3 || (op->rex & REX_B))
		return 0;
	if (rm == 4) {
		if (disp >= op->end || (*disp & 0x3f) != 0x24 ||
		    (op->rex & REX_X))
			return 0; /* another base, or an index */
		disp++;
		*column = COLUMN_STACK_POINTER;
	} else if (rm == 5 && mod != 0) {
		*column = COLUMN_FRAME_POINTER;
	} else {
		return 0;
	}
	if (disp + (mod == 1 ? 1 : mod == 2 ? 4 : 0) > op->end)
		return 0;
	if (mod == 2)
		memcpy(&wide, disp, sizeof(wide));
	*offset = mod == 1 ? (int8_t)*disp : wide;
	return 1;
}

/* Returns whether the instruction is pop r64; sets the register. */
static int pops(const uint8_t *code, const struct insn *insn, uint8_t *which)
{
	uint8_t opcode = code[insn->length - 1];
	uint8_t rex = insn->length == 2 ? code[0] : 0x40;

	if (insn->length > 2 || (opcode & 0xf8) != 0x58 || (rex & 0xf0) != 0x40)
		return 0;
	*which = (uint8_t)((rex & REX_B) << 3 | (opcode & 7));
	return 1;
}

/* Returns whether the instruction is jmp *r64 with this register. */
static int jumps_to(const uint8_t *code, const struct insn *insn, uint8_t which)
{
	uint8_t modrm = code[insn->length - 1];
	uint8_t rex = insn->length >= 3 ? code[insn->length - 3] : 0;

	if (insn->kind != INSN_JUMP_INDIRECT || (modrm & 0xf8) != 0xe0)
		return 0;
	return (modrm & 7) == (which & 7) &&
	       ((rex & 0xf1) == 0x41) == (which >= 8);
}

/*
 * Returns whether the instruction is a mov between memory and a register; sets
 * the register.
 */
static int moves(const struct operation *op, uint8_t opcode, uint8_t *which)
{
	if (!op->modrm || op->modrm[-1] != opcode || *op->modrm >> 6 == 3)
		return 0;
	*which = (uint8_t)((op->rex & REX_R) << 1 | (*op->modrm >> 3 & 7));
	return 1;
}

/* Returns whether the instruction is push r64. */
static int pushes(const uint8_t *code, const struct insn *insn)
{
	return insn->length <= 2 && (code[insn->length - 1] & 0xf8) == 0x50 &&
	       (insn->length == 1 || (code[0] & 0xf0) == 0x40);
}

/* Returns whether the instruction is push $imm8 or $imm32. */
static int pushes_constant(const uint8_t *code, const struct insn *insn)
{
	return (insn->length == 2 && code[0] == 0x6a) ||
	       (insn->length == 5 && code[0] == 0x68);
}

/*
 * Returns 0 if the unwind information ignores the preceding push: it places the
 * return address at the same offset from rsp as before the push.
 */
static int is_believable(const struct reader_watch *watch)
{
	uint64_t column;
	int64_t offset;

	return !watch->has_pushed ||
	       !cfi_return_slot(&watch->cfi, &column, &offset) ||
	       column != COLUMN_STACK_POINTER || offset != watch->slot_offset;
}

static void check_push(struct reader_watch *watch, int is_push)
{
	uint64_t column;

	watch->has_pushed =
		is_push &&
		cfi_return_slot(&watch->cfi, &column, &watch->slot_offset) &&
		column == COLUMN_STACK_POINTER;
}

/*
 * Handles an instruction that moves the return address from its slot to a
 * register.
 */
static void check_taking(struct reader_watch *watch, uint8_t which, int is_load)
{
	if (watch->has_taken)
		/* A return by a jump takes the address once. */
		watch->is_reader = 1;
	watch->has_taken = 1;
	watch->has_loaded = (uint8_t)is_load;
	watch->taken_register = which;
}

/*
 * Handles the jump to the return address. The stack pointer, by which a stub
 * finds its call, must be as after a return. This is assumed after a pop; after
 * a load the unwind information must confirm it.
 */
static void check_jump(struct reader_watch *watch, uint64_t vaddr)
{
	uint64_t column;
	int64_t offset;

	cfi_seek(&watch->cfi, vaddr - watch->vaddr);
	if (watch->has_loaded &&
	    (!cfi_return_slot(&watch->cfi, &column, &offset) ||
	     column != COLUMN_STACK_POINTER || offset != -8))
		watch->is_reader = 1;
	watch->has_taken = 0;
	watch->returns_by_jump = 1;
}

void reader_watch_begin(struct reader_watch *watch, const struct fde *fde)
{
	*watch = (struct reader_watch){ .vaddr = fde->vaddr };
	cfi_begin(&watch->cfi, fde->rules, fde->cie_program, fde->fde_program);
	watch->is_watching = 1;
}

/* Returns whether the instruction accesses the slot of the return address. */
static int accesses_slot(const struct reader_watch *watch,
			 const struct operation *op, int is_pop)
{
	uint64_t column = COLUMN_STACK_POINTER, slot_column;
	int64_t offset = 0, slot_offset;

	if (!is_pop && (!op->modrm || !stack_operand(op, &column, &offset)))
		return 0;
	return cfi_return_slot(&watch->cfi, &slot_column, &slot_offset) &&
	       column == slot_column && offset == slot_offset;
}

/*
 * Returns whether the loaded return address is stored to memory, for a later
 * jump.
 */
static int keeps(const struct reader_watch *watch, const struct operation *op)
{
	uint8_t which;

	return moves(op, MOV_STORE, &which) && which == watch->taken_register;
}

/* Greater than the offset of this instruction in a thunk that is a function. */
#define THUNK_BYTES 16

/*
 * Returns whether the instruction follows the loop of an inline retpoline
 * (-mindirect-branch=thunk-inline), which only a speculating CPU executes. The
 * return address that it replaces is then that of the call before the loop.
 */
static int is_behind_thunk_loop(const uint8_t *code, uint64_t offset)
{
	static const uint8_t loop[] = { 0xf3, 0x90,       /* pause */
					0x0f, 0xae, 0xe8, /* lfence */
					0xeb, 0xf9 };     /* jmp to the pause */

	return offset > THUNK_BYTES &&
	       !memcmp(code - sizeof(loop), loop, sizeof(loop));
}

void reader_watch_insn(struct reader_watch *watch, const uint8_t *code,
		       const struct insn *insn, uint64_t vaddr)
{
	struct operation op;
	uint8_t which = 0;
	int is_pop, is_push, is_load_of_constant;

	if (watch->is_reader)
		return;
	op = operation_of(code, insn);
	is_pop = pops(code, insn, &which);
	is_push = pushes(code, insn);
	is_load_of_constant = is_pop && watch->has_pushed_constant;
	if (is_pop || is_push || insn->kind != INSN_PLAIN)
		watch->has_pushed_constant = 0;
	if (pushes_constant(code, insn))
		watch->has_pushed_constant = 1;
	if (is_load_of_constant)
		return;
	if (watch->has_taken && jumps_to(code, insn, watch->taken_register))
		check_jump(watch, vaddr);
	if (watch->has_taken && keeps(watch, &op))
		watch->is_reader = 1;
	if (!op.modrm && !is_pop && !is_push && !watch->has_pushed)
		return;
	cfi_seek(&watch->cfi, vaddr - watch->vaddr);
	if (!is_believable(watch)) {
		watch->is_watching = 0;
		return;
	}
	check_push(watch, is_push);
	if (!accesses_slot(watch, &op, is_pop) ||
	    is_behind_thunk_loop(code, vaddr - watch->vaddr))
		return;
	if (is_pop || moves(&op, MOV_LOAD, &which))
		check_taking(watch, which, !is_pop);
	else
		watch->is_reader = 1;
}

int reader_watch_end(struct reader_watch *watch)
{
	cfi_seek(&watch->cfi, UINT64_MAX);
	return watch->is_reader || watch->has_taken ||
	       (watch->cfi.had_return_in_register && !watch->returns_by_jump);
}
