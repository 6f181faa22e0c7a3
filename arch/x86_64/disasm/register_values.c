/* SPDX-License-Identifier: MIT */
/*
 * See register_values.h. Instructions are decoded from their bytes: Intel SDM
 * volume 2, appendix A. Only whole registers are tracked; a 32-bit write clears
 * the upper half.
 */
#include "disasm/register_values.h"

#include "disasm/encoding.h"

#define RAX 0
#define RDX 2

static struct value number(unsigned int bits, uint64_t most)
{
	return (struct value){ .kind = VALUE_NUMBER,
			       .bits = (uint8_t)bits,
			       .most = (uint32_t)most };
}

static struct value unknown(void)
{
	return (struct value){ .kind = VALUE_UNKNOWN };
}

static uint32_t mask(unsigned int bits)
{
	return bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;
}

/* Returns the maximum of the lowest `bits` of a value. */
static uint32_t most_of(const struct value *value, unsigned int bits)
{
	if (value->kind == VALUE_NUMBER && value->bits >= bits &&
	    value->most < mask(bits))
		return value->most;
	return mask(bits);
}

static void set(struct values *values, unsigned int reg, struct value value)
{
	values->registers[reg] = value;
	if (values->compared == reg)
		values->compared_bits = 0;
}

/* Sets a result of which only the size is known. */
static void set_result(struct values *values, const struct encoding *op,
		       unsigned int reg)
{
	set(values, reg,
	    (op->rex & REX_W) || op->is_word ? unknown()
					     : number(64, UINT32_MAX));
}

/*
 * Invalidates a byte register. Without a REX prefix, 4 to 7 are the second
 * bytes of registers 0 to 3.
 */
static void set_byte(struct values *values, unsigned int reg)
{
	set(values, reg, unknown());
	set(values, reg & 3, unknown());
}

static void forget_flags(struct values *values)
{
	values->compared_bits = 0;
}

static void compare(struct values *values, const struct encoding *op,
		    unsigned int reg, unsigned int bits, int64_t with)
{
	forget_flags(values);
	if (bits < 64)
		with &= mask(bits);
	if ((bits == 8 && reg >= 4 && !op->rex) || with < 0)
		return;
	values->compared = (uint8_t)reg;
	values->compared_bits = (uint8_t)bits;
	values->compared_with = (uint32_t)with;
}

static void and_with(struct values *values, const struct encoding *op,
		     unsigned int reg, int64_t with)
{
	set_result(values, op, reg);
	if (!op->is_word && (with >= 0 || !(op->rex & REX_W)))
		set(values, reg, number(64, (uint32_t)with));
}

/* Handles add to cmp with an immediate and a register. */
static void step_immediate(struct values *values, const struct encoding *op,
			   unsigned int which, unsigned int reg,
			   unsigned int bytes)
{
	const int64_t with = encoding_immediate(op, bytes);

	if (which == 7) {
		compare(values, op, reg, encoding_bits(op), with);
		return;
	}
	forget_flags(values);
	if (which == 4)
		and_with(values, op, reg, with);
	else
		set_result(values, op, reg);
}

/*
 * Returns whether the operands are a table's address and one of its distances;
 * *out is their sum.
 */
static int is_sum(const struct value *a, const struct value *b,
		  struct value *out)
{
	if (a->kind != VALUE_ADDRESS || b->kind != VALUE_DISTANCE ||
	    a->vaddr != b->vaddr)
		return 0;
	*out = *b;
	out->kind = VALUE_TARGET;
	return 1;
}

static void add(struct values *values, const struct encoding *op,
		unsigned int to, unsigned int from)
{
	const struct value *a = &values->registers[to];
	const struct value *b = &values->registers[from];
	struct value sum;

	if ((op->rex & REX_W) && (is_sum(a, b, &sum) || is_sum(b, a, &sum)))
		set(values, to, sum);
	else
		set_result(values, op, to);
}

/*
 * Handles opcodes up to 3d: add to cmp, between registers and memory, or with
 * rax.
 */
static void step_arithmetic(struct values *values, const struct encoding *op)
{
	const unsigned int which = op->opcode >> 3, form = op->opcode & 7;
	const int is_register = op->mod == 3;

	if (form == 5) {
		step_immediate(values, op, which, RAX, 4);
		return;
	}
	if (form == 4 && which == 7) {
		compare(values, op, RAX, 8, encoding_immediate(op, 1));
		return;
	}
	forget_flags(values);
	if (which == 7)
		return;
	if (form == 4)
		set_byte(values, RAX);
	else if (form == 0 && is_register)
		set_byte(values, op->rm);
	else if (form == 2)
		set_byte(values, op->reg);
	else if (form == 1 && is_register && which == 0)
		add(values, op, op->rm, op->reg);
	else if (form == 1 && is_register)
		set_result(values, op, op->rm);
	else if (form == 3 && is_register && which == 0)
		add(values, op, op->reg, op->rm);
	else if (form == 3)
		set_result(values, op, op->reg);
}

/* Handles mov between registers. */
static void copy(struct values *values, const struct encoding *op,
		 unsigned int to, unsigned int from)
{
	const struct value value = values->registers[from];

	if (op->is_word)
		set(values, to, unknown());
	else if (op->rex & REX_W)
		set(values, to, value);
	else
		set(values, to, number(64, most_of(&value, 32)));
}

/* Handles movslq and cltq. */
static void extend_sign(struct values *values, const struct encoding *op,
			unsigned int to, unsigned int from)
{
	const uint32_t most = most_of(&values->registers[from], 32);

	set_result(values, op, to);
	if ((op->rex & REX_W) && most <= INT32_MAX)
		set(values, to, number(64, most));
}

/* Handles movzbl and movzwl. */
static void extend_zero(struct values *values, const struct encoding *op,
			unsigned int bits)
{
	uint32_t most = mask(bits);

	if (op->mod == 3 && (bits > 8 || op->rm < 4 || op->rex))
		most = most_of(&values->registers[op->rm], bits);
	set(values, op->reg, op->is_word ? unknown() : number(64, most));
}

static int is_bounded(const struct value *value)
{
	return value->kind == VALUE_NUMBER && value->bits == 64;
}

/*
 * Returns whether the operand is movslq (%table,%index,4); *out is the loaded
 * value.
 */
static int loads_distance(const struct values *values,
			  const struct encoding *op, struct value *out)
{
	const struct value *table, *index;
	uint8_t base, at;

	if (!(op->rex & REX_W) || op->is_word ||
	    !encoding_is_indexed(op, 2, &base, &at))
		return 0;
	if (op->mod == 0 ? (base & 7) == 5 : op->modrm[2] != 0)
		return 0;
	table = &values->registers[base];
	index = &values->registers[at];
	if (table->kind != VALUE_ADDRESS || !is_bounded(index))
		return 0;
	*out = (struct value){ .kind = VALUE_DISTANCE,
			       .vaddr = table->vaddr,
			       .most = index->most };
	return 1;
}

/* Returns whether the operand is table(,%index,8); *out is its value. */
static int is_word(const struct values *values, const struct encoding *op,
		   struct value *out)
{
	uint8_t base, at;
	int32_t table;

	if (op->mod != 0 || !encoding_is_indexed(op, 3, &base, &at) ||
	    (base & 7) != 5 || !is_bounded(&values->registers[at]))
		return 0;
	memcpy(&table, op->modrm + 2, sizeof(table));
	*out = (struct value){ .kind = VALUE_WORD,
			       .vaddr = (uint64_t)(int64_t)table,
			       .most = values->registers[at].most };
	return 1;
}

static void step_load(struct values *values, const struct encoding *op)
{
	struct value loaded;

	if (op->mod == 3)
		copy(values, op, op->reg, op->rm);
	else if ((op->rex & REX_W) && is_word(values, op, &loaded))
		set(values, op->reg, loaded);
	else
		set_result(values, op, op->reg);
}

static void step_load_distance(struct values *values, const struct encoding *op)
{
	struct value loaded;

	if (op->mod == 3)
		extend_sign(values, op, op->reg, op->rm);
	else if (loads_distance(values, op, &loaded))
		set(values, op->reg, loaded);
	else
		set_result(values, op, op->reg);
}

static void step_lea(struct values *values, const struct encoding *op,
		     uint64_t next_vaddr)
{
	set_result(values, op, op->reg);
	if ((op->rex & REX_W) && (*op->modrm & 0xc7) == 0x05)
		set(values, op->reg,
		    (struct value){
			    .kind = VALUE_ADDRESS,
			    .vaddr = next_vaddr +
				     (uint64_t)encoding_immediate(op, 4) });
}

static void set_immediate(struct values *values, const struct encoding *op,
			  unsigned int reg)
{
	const int64_t value = encoding_immediate(op, 4);

	set_result(values, op, reg);
	if (!op->is_word && (value >= 0 || !(op->rex & REX_W)))
		set(values, reg, number(64, (uint32_t)value));
}

/* Handles an operand that is written, partly if it is a byte. */
static void step_rm(struct values *values, const struct encoding *op,
		    int is_byte)
{
	if (op->mod == 3 && is_byte)
		set_byte(values, op->rm);
	else if (op->mod == 3)
		set_result(values, op, op->rm);
}

static void forget_all(struct values *values)
{
	*values = (struct values){ 0 };
}

/* Handles f6 and f7: test, not, neg; mul to idiv write rax and rdx. */
static void step_unary(struct values *values, const struct encoding *op)
{
	const unsigned int which = op->reg & 7;

	forget_flags(values);
	if (which == 2 || which == 3) {
		step_rm(values, op, op->opcode == 0xf6);
	} else if (which >= 4) {
		set(values, RAX, unknown());
		set(values, RDX, unknown());
	}
}

/* Handles fe and ff: inc, dec; push. */
static void step_inc(struct values *values, const struct encoding *op)
{
	const unsigned int which = op->reg & 7;

	if (which == 6)
		return;
	forget_flags(values);
	if (which < 2)
		step_rm(values, op, op->opcode == 0xfe);
	else
		forget_all(values);
}

/*
 * Handles opcodes after 0f. Vector moves and operations change no general
 * register.
 */
static void step_second(struct values *values, const struct encoding *op)
{
	const unsigned int opcode = op->opcode & 0xff;

	switch (opcode) {
	case 0x10 ... 0x17:
	case 0x1f:
	case 0x28 ... 0x2a:
	case 0x51:
	case 0x54 ... 0x5f:
	case 0x6f:
	case 0x7f:
	case 0xef:
		return;
	case 0x2e ... 0x2f:
	case 0xa3:
		forget_flags(values);
		return;
	case 0x40 ... 0x4f:
		set_result(values, op, op->reg);
		return;
	case 0x90 ... 0x9f:
		step_rm(values, op, 1);
		return;
	/* bts to btc; with an immediate also bt, which writes nothing */
	case 0xab:
	case 0xb3:
	case 0xba:
	case 0xbb:
		forget_flags(values);
		if (opcode != 0xba || (op->reg & 7) > 4)
			step_rm(values, op, 0);
		return;
	case 0xaf:
		forget_flags(values);
		set_result(values, op, op->reg);
		return;
	case 0xbc: /* a zero source leaves the destination unchanged */
	case 0xbd:
		forget_flags(values);
		set(values, op->reg, unknown());
		return;
	case 0xb6:
		extend_zero(values, op, 8);
		return;
	case 0xb7:
		extend_zero(values, op, 16);
		return;
	case 0xbe:
	case 0xbf:
		set_result(values, op, op->reg);
		return;
	default:
		forget_all(values);
	}
}

static void step_first(struct values *values, const struct encoding *op,
		       uint64_t next_vaddr)
{
	const unsigned int named = /* the register in the opcode */
		(op->rex & REX_B) << 3 | (op->opcode & 7);

	switch (op->opcode) {
	case 0x50 ... 0x57: /* push */
	case 0x68:
	case 0x6a:
		return;
	case 0x58 ... 0x5f: /* pop */
		set(values, named, unknown());
		return;
	case 0x63:
		step_load_distance(values, op);
		return;
	case 0x69: /* imul */
	case 0x6b:
		forget_flags(values);
		set_result(values, op, op->reg);
		return;
	case 0x81:
	case 0x83:
		if (op->mod == 3)
			step_immediate(values, op, op->reg & 7, op->rm,
				       op->opcode == 0x83 ? 1 : 4);
		else
			forget_flags(values);
		return;
	case 0x80:
		if (op->mod == 3 && (op->reg & 7) == 7) {
			compare(values, op, op->rm, 8,
				encoding_immediate(op, 1));
			return;
		}
		forget_flags(values);
		step_rm(values, op, 1);
		return;
	case 0x84 ... 0x85: /* test */
	case 0xa8 ... 0xa9:
		forget_flags(values);
		return;
	case 0x88:
	case 0xc6:
		step_rm(values, op, 1);
		return;
	case 0x89:
		if (op->mod == 3)
			copy(values, op, op->rm, op->reg);
		return;
	case 0x8a:
		set_byte(values, op->reg);
		return;
	case 0x8b:
		step_load(values, op);
		return;
	case 0x8d:
		step_lea(values, op, next_vaddr);
		return;
	case 0x98: /* cltq, cwtl */
		extend_sign(values, op, RAX, RAX);
		return;
	case 0x99: /* cqto, cltd */
		set_result(values, op, RDX);
		return;
	case 0xb0 ... 0xb7:
		set_byte(values, named);
		return;
	case 0xb8 ... 0xbf:
		if (op->rex & REX_W)
			set(values, named, unknown());
		else
			set_immediate(values, op, named);
		return;
	case 0xc0: /* shifts */
	case 0xd0:
	case 0xd2:
		forget_flags(values);
		step_rm(values, op, 1);
		return;
	case 0xc1:
	case 0xd1:
		forget_flags(values);
		step_rm(values, op, 0);
		return;
	case 0xd3: /* shift by %cl, which may be 0 */
		forget_flags(values);
		if (op->mod == 3)
			set(values, op->rm, unknown());
		return;
	case 0xc7:
		if (op->mod == 3)
			set_immediate(values, op, op->rm);
		return;
	case 0xf6:
	case 0xf7:
		step_unary(values, op);
		return;
	case 0xfe:
	case 0xff:
		step_inc(values, op);
		return;
	default:
		forget_all(values);
	}
}

void values_step(struct values *values, const uint8_t *code,
		 const struct insn *insn, uint64_t next_vaddr)
{
	const struct encoding op = encoding_of(code, insn);

	if (insn->kind == INSN_NOP || insn->kind == INSN_ENDBR)
		return;
	if (op.opcode < 0x40 && (op.opcode & 7) < 6)
		step_arithmetic(values, &op);
	else if (op.opcode < SECOND(0))
		step_first(values, &op, next_vaddr);
	else
		step_second(values, &op);
}

/* Records that the compared value is at most `most`. */
static void bound(struct values *values, uint32_t most)
{
	struct value *value = &values->registers[values->compared];
	const unsigned int bits = values->compared_bits;

	if (value->kind == VALUE_NUMBER && value->bits >= bits &&
	    (value->bits == bits || value->most <= mask(bits))) {
		if (most < value->most)
			value->most = most;
	} else if (value->kind <= VALUE_NUMBER) {
		*value = number(bits, most);
	}
}

void values_pass_jump(struct values *values, const uint8_t *code,
		      const struct insn *insn, int is_taken)
{
	const uint8_t opcode = insn->length == 2 ? code[0] : code[1];
	const uint32_t with = values->compared_with;

	if (values->compared_bits == 0 ||
	    (insn->length != 2 && insn->length != 6))
		return;
	switch (opcode & 0xf) {
	case 2: /* jb */
	case 3: /* jae */
		if (is_taken == !(opcode & 1) && with > 0)
			bound(values, with - 1);
		break;
	case 6: /* jbe */
	case 7: /* ja */
		if (is_taken == !(opcode & 1))
			bound(values, with);
		break;
	}
}

struct value values_jump(const struct values *values, const uint8_t *code,
			 const struct insn *insn)
{
	struct insn bare = *insn;
	struct encoding op;
	struct value to;

	if (*code == 0x3e) { /* notrack */
		code++;
		bare.length--;
	}
	op = encoding_of(code, &bare);
	if (op.opcode != 0xff || (op.reg & 7) != 4 || op.is_word)
		return unknown();
	if (op.mod == 3)
		return values->registers[op.rm];
	return is_word(values, &op, &to) ? to : unknown();
}

static int merge(struct value *value, const struct value *other)
{
	const struct value before = *value;

	if (value->kind != other->kind || value->vaddr != other->vaddr ||
	    value->bits != other->bits)
		*value = unknown();
	else if (value->most < other->most)
		value->most = other->most;
	return before.kind != value->kind || before.most != value->most;
}

int values_merge(struct values *values, const struct values *others)
{
	int knew_more = 0;

	for (unsigned int i = 0; i < VALUES_REGISTERS; i++)
		knew_more |=
			merge(&values->registers[i], &others->registers[i]);
	if (values->compared_bits &&
	    (values->compared_bits != others->compared_bits ||
	     values->compared != others->compared ||
	     values->compared_with != others->compared_with)) {
		forget_flags(values);
		knew_more = 1;
	}
	return knew_more;
}
