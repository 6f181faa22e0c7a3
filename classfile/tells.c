/* SPDX-License-Identifier: MIT */
/*
 * How a method that tells begins, as method_code.c has written it. The variable is behind all
 * others, and named by the long form of the instruction, which compilers have for variables
 * beyond the fourth only.
 */
#include "classfile/bytecode.h"
#include "classfile/class_input.h"
#include "classfile/classfile.h"
#include "classfile/method_code.h"

static int has_number(struct class_input *code, uint32_t number)
{
	const int is_near = number <= NUMBER_NEAR;

	return input_u1(code) == (is_near ? OP_SIPUSH : OP_LDC_W) &&
	       (input_u2(code) == number || !is_near);
}

int classfile_tells(const uint8_t *code, size_t bytes, uint32_t max_locals,
		    uint32_t number)
{
	struct class_input input = { code, code + bytes, 0 };
	int is_wide;

	if (!has_number(&input, number) || input_u1(&input) != OP_INVOKESTATIC)
		return 0;
	input_u2(&input); /* enter() */
	is_wide = bytes > 6 && code[6] == OP_WIDE;
	if (is_wide)
		input_u1(&input);
	return input_u1(&input) == OP_LSTORE &&
	       (is_wide ? input_u2(&input) : input_u1(&input)) ==
		       max_locals - KEPT_SLOTS;
}
