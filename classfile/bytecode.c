/* SPDX-License-Identifier: MIT */
/* See bytecode.h. */
#include "classfile/bytecode.h"
#include "classfile/class_input.h"

#define OPCODES BYTECODE_OPCODES

const char bytecode_lengths[OPCODES + 1] = "1111111111" /* 0 */
					   "1111112323" /* 10 */
					   "3222221111" /* 20 */
					   "1111111111" /* 30 */
					   "1111111111" /* 40 */
					   "1111222221" /* 50 */
					   "1111111111" /* 60 */
					   "1111111111" /* 70 */
					   "1111111111" /* 80 */
					   "1111111111" /* 90 */
					   "1111111111" /* 100 */
					   "1111111111" /* 110 */
					   "1111111111" /* 120 */
					   "1131111111" /* 130 */
					   "1111111111" /* 140 */
					   "1113333333" /* 150 */
					   "3333333332" /* 160 */
					   "0011111133" /* 170 */
					   "3333355323" /* 180 */
					   "1133110433" /* 190 */
					   "55";        /* 200 */

/*
 * The number of slots that an instruction pops, by opcode. '-' if
 * bytecode_effect() computes it.
 */
static const char pops_of[OPCODES + 1] = "0000000000" /* 0 */
					 "0000000000" /* 10 */
					 "0000000000" /* 20 */
					 "0000000000" /* 30 */
					 "0000002222" /* 40 */
					 "2222121211" /* 50 */
					 "1112222111" /* 60 */
					 "1222211113" /* 70 */
					 "434333312-" /* 80 */
					 "------2424" /* 90 */
					 "2424242424" /* 100 */
					 "2424241212" /* 110 */
					 "2323232424" /* 120 */
					 "2401112221" /* 130 */
					 "1122211142" /* 140 */
					 "2441111112" /* 150 */
					 "22222220--" /* 160 */
					 "11121210--" /* 170 */
					 "-------011" /* 180 */
					 "111111--11" /* 190 */
					 "0-";        /* 200 */

static const char pushes_of[OPCODES + 1] = "0111111112" /* 0 */
					   "2111221111" /* 10 */
					   "2121211111" /* 20 */
					   "2222111122" /* 30 */
					   "2211111212" /* 40 */
					   "1111000000" /* 50 */
					   "0000000000" /* 60 */
					   "0000000000" /* 70 */
					   "000000000-" /* 80 */
					   "------1212" /* 90 */
					   "1212121212" /* 100 */
					   "1212121212" /* 110 */
					   "1212121212" /* 120 */
					   "1202121121" /* 130 */
					   "2212111111" /* 140 */
					   "1110000000" /* 150 */
					   "00000000--" /* 160 */
					   "00000000--" /* 170 */
					   "-------111" /* 180 */
					   "101100--00" /* 190 */
					   "0-";        /* 200 */

static uint32_t u4_at(const uint8_t *at)
{
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 |
	       (uint32_t)at[2] << 8 | at[3];
}

static int32_t s4_at(const uint8_t *at)
{
	return (int32_t)u4_at(at);
}

static int read_switch(struct bytecode *insn, struct class_input rest)
{
	uint64_t count, words;

	if (!input_take(&rest, 3 - (insn->at & 3)))
		return 0;
	insn->operands = (uint32_t)(rest.at - insn->code);
	input_u4(&rest);
	if (insn->opcode == OP_TABLESWITCH) {
		const int32_t low = (int32_t)input_u4(&rest);
		const int32_t high = (int32_t)input_u4(&rest);

		if (low > high)
			return 0;
		words = count = (uint64_t)((int64_t)high - low + 1);
	} else {
		count = input_u4(&rest);
		words = count * 2;
	}
	if (rest.is_short || words > input_left(&rest) / 4)
		return 0;
	insn->target_count = (uint32_t)count + 1;
	insn->length = (uint32_t)(rest.at - insn->code + (int64_t)words * 4) -
		       insn->at;
	return 1;
}

static int read_wide(struct bytecode *insn, struct class_input rest)
{
	insn->opcode = input_u1(&rest);
	insn->is_wide = 1;
	insn->length = insn->opcode == OP_IINC ? 6 : 4;
	return insn->opcode == OP_IINC || insn->opcode == OP_RET ||
	       (insn->opcode >= 21 && insn->opcode <= OP_ALOAD) ||
	       (insn->opcode >= OP_ISTORE && insn->opcode <= OP_ASTORE);
}

int bytecode_read_long(const uint8_t *code, uint32_t code_bytes, uint32_t at,
		       struct bytecode *out)
{
	struct class_input rest = { code + at, code + code_bytes, 0 };
	struct bytecode insn = { .code = code, .at = at };

	insn.opcode = input_u1(&rest);
	if (insn.opcode == OP_WIDE ? !read_wide(&insn, rest)
				   : !read_switch(&insn, rest))
		return 0;
	if (insn.length > code_bytes - at)
		return 0;
	*out = insn;
	return 1;
}

int64_t bytecode_target(const struct bytecode *insn, uint32_t index)
{
	const uint8_t *operands = insn->code + insn->operands;
	const uint32_t width = insn->opcode == OP_TABLESWITCH ? 4 : 8;

	if (bytecode_jumps_near(insn))
		return (int64_t)insn->at + (int16_t)bytecode_u2(insn);
	if (!bytecode_is_switch(insn))
		return (int64_t)insn->at + s4_at(insn->code + insn->at + 1);
	if (index == 0)
		return (int64_t)insn->at + s4_at(operands);
	/*
	 * The offset follows low and high, or the number of pairs and the first
	 * match.
	 */
	return (int64_t)insn->at +
	       s4_at(operands + 12 + (uint64_t)(index - 1) * width);
}

int bytecode_jumps_near(const struct bytecode *insn)
{
	return insn->target_count > 0 && insn->opcode < OP_GOTO_W &&
	       !bytecode_is_switch(insn);
}

uint32_t bytecode_u2(const struct bytecode *insn)
{
	const uint8_t *at = insn->code + insn->at + 1 + insn->is_wide;

	return (uint32_t)at[0] << 8 | at[1];
}

uint32_t bytecode_local(const struct bytecode *insn)
{
	return insn->is_wide ? bytecode_u2(insn) : insn->code[insn->at + 1];
}

int bytecode_effect(uint8_t opcode, uint32_t *pops, uint32_t *pushes)
{
	if (opcode >= OPCODES || pops_of[opcode] == '-')
		return 0;
	*pops = (uint32_t)(pops_of[opcode] - '0');
	*pushes = (uint32_t)(pushes_of[opcode] - '0');
	return 1;
}
