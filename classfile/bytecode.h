/* SPDX-License-Identifier: MIT */
/*
 * Java instructions: their lengths, their jump targets, and the slots that they
 * pop and push.
 */
#ifndef CLEW_CLASSFILE_BYTECODE_H
#define CLEW_CLASSFILE_BYTECODE_H

#include <stdint.h>

enum bytecode_op {
	OP_LCONST_1 = 10,
	OP_SIPUSH = 17,
	OP_LDC_W = 19,
	OP_ILOAD = 21,
	OP_LLOAD = 22,
	OP_ALOAD = 25,
	OP_ALOAD_0 = 42,
	OP_ALOAD_3 = 45,
	OP_LSTORE = 55,
	OP_DSTORE = 57,
	OP_ISTORE = 54,
	OP_ASTORE = 58,
	OP_ISTORE_0 = 59,
	OP_LSTORE_0 = 63,
	OP_DSTORE_0 = 71,
	OP_ASTORE_0 = 75,
	OP_ASTORE_3 = 78,
	OP_DUP = 89,
	OP_DUP_X1 = 90,
	OP_DUP_X2 = 91,
	OP_DUP2 = 92,
	OP_DUP2_X1 = 93,
	OP_DUP2_X2 = 94,
	OP_SWAP = 95,
	OP_IINC = 132,
	OP_LCMP = 148,
	OP_IFEQ = 153,
	OP_IFNE = 154,
	OP_IFLE = 158,
	OP_GOTO = 167,
	OP_JSR = 168,
	OP_RET = 169,
	OP_TABLESWITCH = 170,
	OP_LOOKUPSWITCH = 171,
	OP_IRETURN = 172,
	OP_LRETURN = 173,
	OP_FRETURN = 174,
	OP_DRETURN = 175,
	OP_ARETURN = 176,
	OP_RETURN = 177,
	OP_GETSTATIC = 178,
	OP_PUTSTATIC = 179,
	OP_GETFIELD = 180,
	OP_PUTFIELD = 181,
	OP_INVOKEVIRTUAL = 182,
	OP_INVOKESPECIAL = 183,
	OP_INVOKESTATIC = 184,
	OP_INVOKEINTERFACE = 185,
	OP_INVOKEDYNAMIC = 186,
	OP_ATHROW = 191,
	OP_WIDE = 196,
	OP_MULTIANEWARRAY = 197,
	OP_IFNULL = 198,
	OP_IFNONNULL = 199,
	OP_GOTO_W = 200,
	OP_JSR_W = 201,
};

/* An instruction of code that may be invalid. */
struct bytecode {
	const uint8_t *code;
	uint32_t at;
	uint32_t length; /* length, including the padding of a switch */
	/* opcode; after a wide prefix that of the prefixed instruction */
	uint8_t opcode;
	uint8_t is_wide;
	/* Offset of a switch's operands after the padding. */
	uint32_t operands;
	uint32_t target_count; /* number of possible jump targets */
};

/* Class files do not contain breakpoint and higher opcodes. */
#define BYTECODE_OPCODES 202

/*
 * Lengths by opcode, as digits; '0': a switch or wide, whose length depends on
 * the code.
 */
extern const char bytecode_lengths[BYTECODE_OPCODES + 1];

/* Does the work of bytecode_read() for opcodes with length '0'. */
int bytecode_read_long(const uint8_t *code, uint32_t code_bytes, uint32_t at,
		       struct bytecode *out);

/* Reads the instruction at an offset. Returns 0 if there is no complete one. */
static inline int bytecode_read(const uint8_t *code, uint32_t code_bytes,
				uint32_t at, struct bytecode *out)
{
	uint32_t length;
	uint8_t opcode;

	if (at >= code_bytes || code[at] >= BYTECODE_OPCODES)
		return 0;
	opcode = code[at];
	length = (uint32_t)(bytecode_lengths[opcode] - '0');
	if (length == 0)
		return bytecode_read_long(code, code_bytes, at, out);
	if (length > code_bytes - at)
		return 0;
	*out = (struct bytecode){
		.code = code,
		.at = at,
		.length = length,
		.opcode = opcode,
		.target_count = (opcode >= OP_IFEQ && opcode <= OP_JSR) ||
				(opcode >= OP_IFNULL && opcode <= OP_JSR_W),
	};
	return 1;
}

/* Returns a jump target as an offset in the code, which may be outside it. */
int64_t bytecode_target(const struct bytecode *insn, uint32_t index);

/*
 * Returns whether the instruction's jump has 16 bits; false if it does not
 * jump.
 */
int bytecode_jumps_near(const struct bytecode *insn);

static inline int bytecode_is_switch(const struct bytecode *insn)
{
	return insn->opcode == OP_TABLESWITCH ||
	       insn->opcode == OP_LOOKUPSWITCH;
}

static inline int bytecode_is_return(const struct bytecode *insn)
{
	return insn->opcode >= OP_IRETURN && insn->opcode <= OP_RETURN;
}

/* Returns whether the next instruction is not reached from this one. */
static inline int bytecode_ends(const struct bytecode *insn)
{
	return bytecode_is_return(insn) || bytecode_is_switch(insn) ||
	       insn->opcode == OP_GOTO || insn->opcode == OP_GOTO_W ||
	       insn->opcode == OP_ATHROW;
}

/* Returns the 16 bits after the opcode. */
uint32_t bytecode_u2(const struct bytecode *insn);

/*
 * Returns the number of the local variable that is the operand of a load, a
 * store, ret or iinc.
 */
uint32_t bytecode_local(const struct bytecode *insn);

/*
 * Sets the numbers of slots popped and pushed. Returns 0 if these depend on
 * constants, or if the instruction moves values on the stack.
 */
int bytecode_effect(uint8_t opcode, uint32_t *pops, uint32_t *pushes);

#endif
