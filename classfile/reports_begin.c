/* SPDX-License-Identifier: MIT */
/*
 * Recognizes the start of a rewritten method, as method_code.c writes it. The
 * variable follows all others, and the instruction has the long form, which
 * compilers use only for variables beyond the fourth. The Flight Recorder
 * changes methods after clew: it first stores a time in a new variable
 * (MethodTiming, MethodTrace of JDK 25).
 */
#include "classfile/bytecode.h"
#include "classfile/class_input.h"
#include "classfile/classfile.h"
#include "classfile/method_code.h"

#define TIME_SLOTS 2

static int has_number(struct class_input *code, uint32_t number)
{
	const int is_near = number <= NUMBER_NEAR;

	return input_u1(code) == (is_near ? OP_SIPUSH : OP_LDC_W) &&
	       (input_u2(code) == number || !is_near);
}

/*
 * Skips invokestatic, without arguments, and lstore. Returns whether they are
 * there.
 */
static int skip_time(struct class_input *input)
{
	struct class_input code = *input;
	uint32_t store;

	if (input_u1(&code) != OP_INVOKESTATIC)
		return 0;
	input_u2(&code);
	store = input_u1(&code);
	if (store == OP_WIDE && input_u1(&code) == OP_LSTORE)
		input_u2(&code);
	else if (store == OP_LSTORE)
		input_u1(&code);
	else if (store < OP_LSTORE_0 || store > OP_LSTORE_0 + 3)
		return 0;
	*input = code;
	return 1;
}

int classfile_reports_begin(const uint8_t *code, size_t bytes,
			    uint32_t max_locals, uint32_t number)
{
	struct class_input input = { code, code + bytes, 0 };
	uint32_t behind = KEPT_SLOTS;
	uint32_t store;
	int is_wide;

	if (skip_time(&input))
		behind += TIME_SLOTS;
	if (!has_number(&input, number) || input_u1(&input) != OP_INVOKESTATIC)
		return 0;
	input_u2(&input); /* skips the method of the call, enter() */
	store = input_u1(&input);
	is_wide = store == OP_WIDE;
	if (is_wide)
		store = input_u1(&input);
	return store == OP_LSTORE &&
	       (is_wide ? input_u2(&input) : input_u1(&input)) ==
		       max_locals - behind;
}
