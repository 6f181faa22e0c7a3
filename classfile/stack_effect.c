/* SPDX-License-Identifier: MIT */
/* See stack_effect.h. */
#include "classfile/stack_effect.h"

#include <string.h>

/* ---- Descriptors ---- */

static uint32_t type_slots(char type)
{
	return type == 'J' || type == 'D' ? 2 : type == 'V' ? 0 : 1;
}

/* Skips the type of an argument. Returns whether there is one. */
static int skip_type(const struct classfile_name *name, uint32_t *at)
{
	while (*at < name->length && name->text[*at] == '[')
		++*at;
	if (*at >= name->length || !strchr("BCDFIJSZL", name->text[*at]) ||
	    name->text[*at] == '\0')
		return 0;
	if (name->text[*at] == 'L')
		while (*at < name->length && name->text[*at] != ';')
			++*at;
	return (*at)++ < name->length;
}

int method_slots_read(const struct classfile_name *descriptor,
		      struct method_slots *out)
{
	uint32_t at = 1;

	*out = (struct method_slots){ 0 };
	if (descriptor->length < 3 || descriptor->text[0] != '(')
		return 0;
	while (at < descriptor->length && descriptor->text[at] != ')') {
		const char type = descriptor->text[at];

		if (!skip_type(descriptor, &at))
			return 0;
		out->arguments++;
		out->argument_slots += type_slots(type);
	}
	if (at + 1 >= descriptor->length)
		return 0;
	out->result_slots = type_slots(descriptor->text[at + 1]);
	return 1;
}

/* ---- Instructions ---- */

static int field_effect(const struct class_pool *pool,
			const struct bytecode *insn, uint32_t *pops,
			uint32_t *pushes)
{
	const int is_static =
		insn->opcode == OP_GETSTATIC || insn->opcode == OP_PUTSTATIC;
	const int is_read =
		insn->opcode == OP_GETSTATIC || insn->opcode == OP_GETFIELD;
	struct classfile_name name, type;
	uint32_t slots;

	if (!pool_member(pool, bytecode_u2(insn), &name, &type) ||
	    type.length == 0)
		return 0;
	slots = type_slots(type.text[0]);
	*pops = (is_static ? 0 : 1) + (is_read ? 0 : slots);
	*pushes = is_read ? slots : 0;
	return 1;
}

static int call_effect(const struct class_pool *pool,
		       const struct bytecode *insn, uint32_t *pops,
		       uint32_t *pushes)
{
	const uint32_t has_object = insn->opcode != OP_INVOKESTATIC &&
				    insn->opcode != OP_INVOKEDYNAMIC;
	struct classfile_name name, descriptor;
	struct method_slots slots;

	if (!pool_member(pool, bytecode_u2(insn), &name, &descriptor) ||
	    !method_slots_read(&descriptor, &slots))
		return 0;
	*pops = slots.argument_slots + has_object;
	*pushes = slots.result_slots;
	return 1;
}

/* Handles dup to swap. */
static void copy_effect(uint8_t opcode, uint32_t *pops, uint32_t *pushes)
{
	const uint32_t copied = opcode == OP_SWAP  ? 0
				: opcode < OP_DUP2 ? 1
						   : 2;

	*pops = opcode == OP_SWAP ? 2 : copied + (opcode - OP_DUP) % 3U;
	*pushes = *pops + copied;
}

int stack_effect(const struct class_pool *pool, const struct bytecode *insn,
		 uint32_t *pops, uint32_t *pushes)
{
	const uint8_t opcode = insn->opcode;

	if (opcode >= OP_GETSTATIC && opcode <= OP_PUTFIELD)
		return field_effect(pool, insn, pops, pushes);
	if (opcode >= OP_INVOKEVIRTUAL && opcode <= OP_INVOKEDYNAMIC)
		return call_effect(pool, insn, pops, pushes);
	if (opcode >= OP_DUP && opcode <= OP_SWAP) {
		copy_effect(opcode, pops, pushes);
		return 1;
	}
	if (opcode == OP_MULTIANEWARRAY) {
		*pops = insn->code[insn->at + 3];
		*pushes = 1;
		return 1;
	}
	return bytecode_effect(opcode, pops, pushes);
}
