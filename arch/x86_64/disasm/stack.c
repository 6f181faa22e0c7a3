/* SPDX-License-Identifier: MIT */
/*
 * See stack.h. Compilers change the stack pointer by few instructions, which
 * are decoded from their bytes. Any other instruction that uses the stack
 * pointer, except for memory accesses, is unreadable.
 */
#include "disasm/stack.h"

#include <string.h>

#define RSP     4
#define RBP     5
#define NOWHERE 8 /* number that stands for no register */

struct operand {
	int is_memory;
	uint8_t reg;  /* the other operand, with REX.R */
	uint8_t base; /* the base of memory, or the register */
	int has_index;
	int32_t disp;
};

static int starts(const uint8_t *code, const struct insn *insn,
		  const char *bytes, unsigned int count)
{
	return insn->length >= count && memcmp(code, bytes, count) == 0;
}

static int32_t imm32(const uint8_t *code)
{
	int32_t value;

	memcpy(&value, code, sizeof(value));
	return value;
}

/*
 * Decodes the operand of an instruction with or without REX. The bits
 * of a VEX prefix are not read: its instructions use rsp in memory operands
 * only.
 */
static struct operand operand_of(const uint8_t *code, const struct insn *insn)
{
	const uint8_t *modrm = code + insn->modrm_at;
	const uint8_t *disp = modrm + 1;
	const uint8_t mod = *modrm >> 6;
	uint8_t rex = 0;
	struct operand op = { .base = *modrm & 7, .is_memory = mod != 3 };

	for (const uint8_t *at = code; at < modrm; at++)
		if ((*at & 0xf0) == 0x40)
			rex = *at;
		else if (*at != 0x66 && *at != 0xf2 && *at != 0xf3)
			break;
	op.reg = (uint8_t)((rex & 4) << 1 | (*modrm >> 3 & 7));
	if (op.is_memory && op.base == 4) {
		op.base = *disp & 7;
		op.has_index = (*disp & 0x38) != 0x20 || (rex & 2);
		disp++;
	}
	if (mod == 1)
		op.disp = (int8_t)*disp;
	else if (mod == 2)
		op.disp = imm32(disp);
	else if (mod == 0 && op.base == RBP)
		op.base = NOWHERE;
	if (rex & 1)
		op.base = NOWHERE;
	return op;
}

/* Returns whether the operand is known to be the return address's slot. */
static int is_return_slot(const struct operand *op, const struct stack *stack)
{
	if (!op->is_memory || op->has_index)
		return 0;
	if (op->base == RSP)
		return op->disp == stack->height;
	return op->base == RBP && stack->frame != STACK_UNKNOWN &&
	       op->disp == stack->frame;
}

static enum stack_use push(struct stack *stack)
{
	if (stack->height != STACK_UNKNOWN)
		stack->height += 8;
	return STACK_IS_KEPT;
}

static enum stack_use pop(struct stack *stack)
{
	if (stack->height == STACK_UNKNOWN)
		return STACK_IS_KEPT;
	if (stack->height < 8)
		return STACK_IS_LOOKED_AT;
	stack->height -= 8;
	return STACK_IS_KEPT;
}

static enum stack_use move(struct stack *stack, int64_t bytes)
{
	if (stack->height == STACK_UNKNOWN)
		return STACK_IS_KEPT;
	if (bytes > INT32_MAX / 4 || stack->height + bytes < 0 ||
	    stack->height + bytes > INT32_MAX / 4)
		return STACK_IS_UNREADABLE;
	stack->height = (int32_t)(stack->height + bytes);
	return STACK_IS_KEPT;
}

/* Handles lea disp(%rbp), %rsp and similar instructions. */
static enum stack_use move_from_frame(struct stack *stack, int64_t bytes)
{
	if (stack->frame == STACK_UNKNOWN)
		return STACK_IS_UNREADABLE;
	stack->height = stack->frame;
	return move(stack, bytes);
}

static enum stack_use leave(struct stack *stack)
{
	if (stack->frame == STACK_UNKNOWN)
		return STACK_IS_UNREADABLE;
	stack->height = stack->frame;
	stack->frame = STACK_UNKNOWN;
	return pop(stack);
}

/*
 * Returns whether the instruction is a push or pop of a register; *use is the
 * effect.
 */
static int is_push_or_pop(const uint8_t *code, const struct insn *insn,
			  struct stack *stack, enum stack_use *use)
{
	const uint8_t opcode = code[insn->length - 1];

	if (insn->length > 2 ||
	    (insn->length == 2 && (code[0] & 0xf0) != 0x40) ||
	    (opcode & 0xf0) != 0x50)
		return 0;
	if (insn->length == 1 && (opcode == 0x54 || opcode == 0x5c))
		return 0; /* rsp itself */
	*use = opcode & 8 ? pop(stack) : push(stack);
	if (opcode == 0x5d && insn->length == 1)
		stack->frame = STACK_UNKNOWN;
	return 1;
}

/* Returns whether the instruction adds to or sets rsp; *use is the effect. */
static int moves_stack(const uint8_t *code, const struct insn *insn,
		       struct stack *stack, enum stack_use *use)
{
	if (starts(code, insn, "\x48\x83\xec", 3))
		*use = move(stack, (int8_t)code[3]);
	else if (starts(code, insn, "\x48\x81\xec", 3))
		*use = move(stack, imm32(code + 3));
	else if (starts(code, insn, "\x48\x83\xc4", 3))
		*use = move(stack, -(int64_t)(int8_t)code[3]);
	else if (starts(code, insn, "\x48\x81\xc4", 3))
		*use = move(stack, -(int64_t)imm32(code + 3));
	else if (starts(code, insn, "\x48\x8d\x64\x24", 4))
		*use = move(stack, -(int64_t)(int8_t)code[4]);
	else if (starts(code, insn, "\x48\x8d\xa4\x24", 4))
		*use = move(stack, -(int64_t)imm32(code + 4));
	else if (starts(code, insn, "\x48\x8d\x65", 3))
		*use = move_from_frame(stack, -(int64_t)(int8_t)code[3]);
	else if (starts(code, insn, "\x48\x8d\xa5", 3))
		*use = move_from_frame(stack, -(int64_t)imm32(code + 3));
	else if (starts(code, insn, "\x48\x89\xec", 3) ||
		 starts(code, insn, "\x48\x8b\xe5", 3))
		*use = move_from_frame(stack, 0);
	else if (starts(code, insn, "\xc9", 1))
		*use = leave(stack);
	else
		return 0;
	return 1;
}

/*
 * Returns whether the instruction makes rsp unknown until it is restored from
 * rbp: and $-32, %rsp; sub %rax, %rsp.
 */
static int loses_stack(const uint8_t *code, const struct insn *insn)
{
	return starts(code, insn, "\x48\x83\xe4", 3) ||
	       starts(code, insn, "\x48\x81\xe4", 3) ||
	       (insn->length == 3 && (code[0] & 0xfb) == 0x48 &&
		code[1] == 0x29 && (code[2] & 0xc7) == 0xc4);
}

/* Returns whether the instruction is mov %rsp, %reg. */
static int copies_stack(const uint8_t *code, const struct insn *insn,
			uint8_t *to)
{
	if (insn->length != 3 || (code[0] & 0xfa) != 0x48)
		return 0;
	if (code[1] == 0x89 && (code[2] & 0xf8) == 0xe0) {
		*to = (uint8_t)((code[0] & 1) << 3 | (code[2] & 7));
		return 1;
	}
	if (code[1] == 0x8b && (code[2] & 0xc7) == 0xc4 && !(code[0] & 1)) {
		*to = (uint8_t)((code[0] & 4) << 1 | (code[2] >> 3 & 7));
		return 1;
	}
	return 0;
}

static enum stack_use step_return(const uint8_t *code, const struct insn *insn,
				  const struct stack *stack)
{
	if (code[insn->length - 1] != 0xc3 || insn->length > 2)
		return STACK_IS_UNREADABLE;
	return stack->height == 0 ? STACK_IS_KEPT : STACK_IS_UNREADABLE;
}

/* Returns whether a mov, lea or movslq writes rbp. */
static int writes_frame(uint8_t opcode, const struct operand *op)
{
	if (opcode == 0x89)
		return !op->is_memory && op->base == RBP;
	return op->reg == RBP &&
	       (opcode == 0x8b || opcode == 0x8d || opcode == 0x63);
}

/*
 * Handles all other instructions that use rsp or rbp: memory accesses are
 * accepted.
 */
static enum stack_use step_access(const struct decoder *decoder,
				  const uint8_t *code, const struct insn *insn,
				  struct stack *stack)
{
	struct insn whole;
	struct operand op;

	if (decode_operands(decoder, code, insn->length, &whole))
		return STACK_IS_UNREADABLE;
	if (!whole.modrm_at)
		return whole.uses_stack ? STACK_IS_UNREADABLE : STACK_IS_KEPT;
	op = operand_of(code, &whole);
	if (is_return_slot(&op, stack))
		return STACK_IS_LOOKED_AT;
	if (writes_frame(code[whole.modrm_at - 1], &op))
		stack->frame = STACK_UNKNOWN;
	if (!whole.uses_stack)
		return STACK_IS_KEPT;
	if (code[whole.modrm_at - 1] == 0xff && op.reg == 6)
		return push(stack);
	return op.is_memory && op.base == RSP && op.reg != RSP
		       ? STACK_IS_KEPT
		       : STACK_IS_UNREADABLE;
}

enum stack_use stack_step(const struct decoder *decoder, const uint8_t *code,
			  const struct insn *insn, struct stack *stack)
{
	enum stack_use use = STACK_IS_KEPT;
	uint8_t to;

	if (insn->kind == INSN_RETURN)
		return step_return(code, insn, stack);
	if (insn_is_direct_branch(insn) || insn->kind == INSN_SYSTEM ||
	    insn->kind == INSN_NOP || insn->kind == INSN_STOP ||
	    insn->kind == INSN_ENDBR)
		return STACK_IS_KEPT;
	if (is_push_or_pop(code, insn, stack, &use) ||
	    moves_stack(code, insn, stack, &use))
		return use;
	if (loses_stack(code, insn)) {
		if (stack->frame == STACK_UNKNOWN)
			return STACK_IS_UNREADABLE;
		stack->height = STACK_UNKNOWN;
		return STACK_IS_KEPT;
	}
	if (copies_stack(code, insn, &to)) {
		if (stack->height == 0)
			return STACK_IS_LOOKED_AT;
		if (to == RBP)
			stack->frame = stack->height;
		return STACK_IS_KEPT;
	}
	if (starts(code, insn, "\x68", 1) || starts(code, insn, "\x6a", 1))
		return push(stack);
	return step_access(decoder, code, insn, stack);
}
