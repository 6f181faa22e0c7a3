/* SPDX-License-Identifier: MIT */
/* See method_code.h. */
#include "classfile/method_code.h"
#include "classfile/bytecode.h"

#define CODE_MAX      65535 /* maximum size of a method's code, in bytes */
#define CALL_BYTES    3     /* size of an invokestatic with its method */
#define NUMBER_BYTES  3     /* size of a sipush or ldc_w */
#define JUMP_BYTES    3
#define INVOKE_BYTES  3
#define FIELD_BYTES   3                /* size of a getstatic with its field */
#define TEST_BYTES    (2 + JUMP_BYTES) /* size of lconst_1, lcmp and ifne */
#define EXCEPTION_LEN 8
#define VARIABLE_NEAR 255

/* Returns the call at the method's entry. */
static const struct tracker_call *entry_of(const struct method_code *code,
					   const struct tracker_calls *calls)
{
	return code->keeps_state ? &calls->catching : &calls->enter;
}

static uint32_t state_variable(const struct method_code *code)
{
	return code->kept + 2; /* the int's variable follows the long's */
}

/* Returns the size of an instruction that loads or stores it. */
static uint32_t variable_bytes(uint32_t variable)
{
	return variable > VARIABLE_NEAR ? 4 : 2;
}

static uint32_t call_bytes(const struct method_code *code,
			   const struct tracker_call *call)
{
	return CALL_BYTES + (call->has_number ? NUMBER_BYTES : 0) +
	       (call->has_kept ? variable_bytes(code->kept) : 0) +
	       (call->has_state ? variable_bytes(state_variable(code)) : 0);
}

/* Returns the size of the code before the call at the entry. */
static uint32_t gate_bytes(const struct method_code *code,
			   const struct tracker_calls *calls)
{
	if (!calls->gate)
		return 0;
	return 1 + variable_bytes(code->kept) + FIELD_BYTES +
	       (code->keeps_state ? 1 + variable_bytes(state_variable(code))
				  : 0) +
	       JUMP_BYTES;
}

/* Returns the size of the code before the first instruction. */
static uint32_t entry_bytes(const struct method_code *code,
			    const struct tracker_calls *calls)
{
	return gate_bytes(code, calls) +
	       call_bytes(code, entry_of(code, calls)) +
	       (calls->keeps ? variable_bytes(code->kept) : 0);
}

/* Returns the size of the code to insert before an instruction. */
static uint32_t bytes_before(const struct method_code *code,
			     const struct tracker_calls *calls,
			     const struct bytecode *insn)
{
	uint32_t bytes = 0;

	if (code->catches[insn->at])
		bytes += code->caught_bytes;
	if (code->sharing[insn->at])
		bytes += variable_bytes(code->kept) + TEST_BYTES;
	else if (bytecode_is_return(insn))
		bytes += call_bytes(code, &calls->exit);
	return bytes;
}

int method_code_read(struct method_code *code, struct class_input input)
{
	*code = (struct method_code){ .max_stack = input_u2(&input) };
	code->max_locals = input_u2(&input);
	code->length = input_u4(&input);
	if (code->length == 0 || code->length > CODE_MAX)
		return 0;
	code->bytes = input_take(&input, code->length);
	code->exception_count = input_u2(&input);
	code->exceptions =
		input_take(&input, code->exception_count * EXCEPTION_LEN);
	code->attribute_count = input_u2(&input);
	code->attributes = input;
	return !input.is_short;
}

/* ---- Positions ---- */

/* Returns the size of an instruction at this position. */
static uint32_t placed_bytes(const struct bytecode *insn, uint32_t place)
{
	if (!bytecode_is_switch(insn))
		return insn->length;
	return 1 + (3 - (place & 3)) + insn->at + insn->length - insn->operands;
}

static int has_subroutines(const struct bytecode *insn)
{
	return insn->opcode == OP_JSR || insn->opcode == OP_JSR_W ||
	       insn->opcode == OP_RET;
}

static void find_handlers(struct method_code *code)
{
	const uint8_t *at = code->exceptions;

	for (uint32_t i = 0; i < code->exception_count; i++) {
		const uint32_t handler = (uint32_t)at[4] << 8 | at[5];

		if (handler < code->length)
			code->catches[handler] = 1;
		at += EXCEPTION_LEN;
	}
}

enum classfile_refusal method_code_place(struct method_code *code,
					 const struct tracker_calls *calls)
{
	uint64_t place = entry_bytes(code, calls), end;
	uint8_t shares = 0;
	struct bytecode insn;

	if (calls->caught.method) {
		find_handlers(code);
		code->caught_bytes = call_bytes(code, &calls->caught);
	}
	for (uint32_t at = 0; at < code->length; at += insn.length) {
		if (!bytecode_read(code->bytes, code->length, at, &insn))
			return CLASSFILE_CODE_MALFORMED;
		if (has_subroutines(&insn))
			return CLASSFILE_SUBROUTINES;
		code->places[at] = (uint32_t)place;
		for (uint32_t i = 1; i < insn.length; i++)
			code->places[at + i] = WITHIN | at;
		place += bytes_before(code, calls, &insn);
		place += placed_bytes(&insn, (uint32_t)place);
		shares |= code->sharing[at];
	}
	code->places[code->length] = (uint32_t)place;
	code->exit_bytes = shares ? call_bytes(code, &calls->leave) + 1 : 0;
	code->handler_bytes = call_bytes(code, &calls->thrown) + 1 +
			      (calls->rethrow ? INVOKE_BYTES : 0);
	end = place + code->exit_bytes +
	      (uint64_t)code->handler_count * code->handler_bytes;
	if (end > CODE_MAX ||
	    (calls->code_limit > 0 && code->length <= calls->code_limit &&
	     end > calls->code_limit))
		return CLASSFILE_TOO_LARGE;
	return CLASSFILE_DONE;
}

uint32_t method_code_handlers(const struct method_code *code)
{
	return code->places[code->length] + code->exit_bytes;
}

uint32_t method_code_bytes(const struct method_code *code)
{
	return method_code_handlers(code) +
	       code->handler_count * code->handler_bytes;
}

uint32_t method_code_edge(const struct method_code *code, uint32_t offset)
{
	if (offset > code->length || (code->places[offset] & WITHIN))
		return NO_PLACE;
	return code->places[offset];
}

uint32_t method_code_at(const struct method_code *code, int64_t offset)
{
	if (offset < 0 || offset >= code->length)
		return NO_PLACE;
	return method_code_edge(code, (uint32_t)offset);
}

uint32_t method_code_insn(const struct method_code *code, uint32_t offset)
{
	const uint32_t place = method_code_at(code, offset);

	if (place == NO_PLACE)
		return NO_PLACE;
	return place + (code->catches[offset] ? code->caught_bytes : 0);
}

uint32_t method_code_near(const struct method_code *code, uint32_t offset)
{
	const uint32_t place = code->places[offset];

	return place & WITHIN ? code->places[place & ~WITHIN] : place;
}

/* ---- Instructions ---- */

static void write_with(uint8_t opcode, uint32_t variable,
		       struct class_output *output)
{
	if (variable > VARIABLE_NEAR)
		output_u1(output, OP_WIDE);
	output_u1(output, opcode);
	if (variable > VARIABLE_NEAR)
		output_u2(output, variable);
	else
		output_u1(output, variable);
}

static void write_call(const struct method_code *code,
		       const struct tracker_call *call,
		       const struct method_number *number,
		       struct class_output *output)
{
	if (call->has_kept)
		write_with(OP_LLOAD, code->kept, output);
	if (call->has_number) {
		output_u1(output, number->constant ? OP_LDC_W : OP_SIPUSH);
		output_u2(output,
			  number->constant ? number->constant : number->value);
	}
	if (call->has_state)
		write_with(OP_ILOAD, state_variable(code), output);
	output_u1(output, OP_INVOKESTATIC);
	output_u2(output, call->method);
}

/* Computes the distance of a jump, given all positions. */
static enum classfile_refusal distance(const struct method_code *code,
				       const struct bytecode *insn,
				       uint32_t index, int32_t *out)
{
	const uint32_t to = method_code_at(code, bytecode_target(insn, index));

	if (to == NO_PLACE)
		return CLASSFILE_CODE_MALFORMED;
	*out = (int32_t)to - (int32_t)method_code_insn(code, insn->at);
	if (bytecode_jumps_near(insn) && *out != (int16_t)*out)
		return CLASSFILE_FAR_JUMP;
	return CLASSFILE_DONE;
}

static enum classfile_refusal write_switch(const struct method_code *code,
					   const struct bytecode *insn,
					   struct class_output *output)
{
	static const uint8_t padding[3];
	const uint8_t *operands = code->bytes + insn->operands;
	const int is_table = insn->opcode == OP_TABLESWITCH;
	int32_t to;

	output_u1(output, insn->opcode);
	output_bytes(output, padding,
		     3 - (method_code_insn(code, insn->at) & 3));
	for (uint32_t i = 0; i < insn->target_count; i++) {
		const enum classfile_refusal why = distance(code, insn, i, &to);

		if (why)
			return why;
		if (i > 0 && !is_table) /* copies the value to compare with */
			output_bytes(output, operands + (size_t)i * 8, 4);
		output_u4(output, (uint32_t)to);
		if (i == 0) /* copies low and high, or the number of pairs */
			output_bytes(output, operands + 4, is_table ? 8 : 4);
	}
	return CLASSFILE_DONE;
}

static enum classfile_refusal write_jump(const struct method_code *code,
					 const struct bytecode *insn,
					 struct class_output *output)
{
	int32_t to = 0;
	const enum classfile_refusal why = distance(code, insn, 0, &to);

	if (why)
		return why;
	output_u1(output, insn->opcode);
	if (bytecode_jumps_near(insn))
		output_u2(output, (uint32_t)to);
	else
		output_u4(output, (uint32_t)to);
	return CLASSFILE_DONE;
}

static enum classfile_refusal write_insn(const struct method_code *code,
					 const struct bytecode *insn,
					 struct class_output *output)
{
	if (bytecode_is_switch(insn))
		return write_switch(code, insn, output);
	if (insn->target_count > 0)
		return write_jump(code, insn, output);
	output_bytes(output, code->bytes + insn->at, insn->length);
	return CLASSFILE_DONE;
}

/* Writes the jump over the call at the entry. */
static void write_gate(const struct method_code *code,
		       const struct tracker_calls *calls,
		       struct class_output *output)
{
	output_u1(output, OP_LCONST_1); /* CLASSFILE_SILENT */
	write_with(OP_LSTORE, code->kept, output);
	output_u1(output, OP_GETSTATIC);
	output_u2(output, calls->gate);
	if (code->keeps_state) {
		output_u1(output, OP_DUP);
		write_with(OP_ISTORE, state_variable(code), output);
	}
	output_u1(output, code->keeps_state ? OP_IFEQ : OP_IFLE);
	output_u2(output, entry_bytes(code, calls) - gate_bytes(code, calls) +
				  JUMP_BYTES);
}

static void write_entry(const struct method_code *code,
			const struct tracker_calls *calls,
			const struct method_number *number,
			struct class_output *output)
{
	if (calls->gate)
		write_gate(code, calls, output);
	write_call(code, entry_of(code, calls), number, output);
	if (calls->keeps)
		write_with(OP_LSTORE, code->kept, output);
}

/* Writes the jump to the shared exit of returns, for a reported call. */
static enum classfile_refusal write_test(const struct method_code *code,
					 const struct tracker_calls *calls,
					 const struct bytecode *insn,
					 struct class_output *output)
{
	const uint32_t jump = code->places[insn->at] +
			      bytes_before(code, calls, insn) - JUMP_BYTES;
	const uint32_t distance = code->places[code->length] - jump;

	if (distance > INT16_MAX)
		return CLASSFILE_FAR_JUMP;
	write_with(OP_LLOAD, code->kept, output);
	output_u1(output, OP_LCONST_1); /* CLASSFILE_SILENT */
	output_u1(output, OP_LCMP);
	output_u1(output, OP_IFNE);
	output_u2(output, distance);
	return CLASSFILE_DONE;
}

static void write_ends(const struct method_code *code,
		       const struct tracker_calls *calls,
		       const struct method_number *number,
		       struct class_output *output)
{
	if (code->exit_bytes) {
		write_call(code, &calls->leave, number, output);
		output_u1(output, code->result.opcode);
	}
	for (uint32_t i = 0; i < code->handler_count; i++) {
		write_call(code, &calls->thrown, number, output);
		if (calls->rethrow) {
			output_u1(output, OP_INVOKESTATIC);
			output_u2(output, calls->rethrow);
		}
		output_u1(output, OP_ATHROW);
	}
}

/*
 * Returns whether the new code contains the instruction unchanged, and no
 * inserted code directly before it.
 */
static int stays(const struct method_code *code, const struct bytecode *insn)
{
	return insn->target_count == 0 && !bytecode_is_return(insn) &&
	       !code->catches[insn->at];
}

enum classfile_refusal method_code_write(const struct method_code *code,
					 const struct tracker_calls *calls,
					 const struct method_number *number,
					 struct class_output *output)
{
	/*
	 * Offset in the old code. The output contains the code up to this
	 * offset.
	 */
	uint32_t copied = 0;
	struct bytecode insn;

	write_entry(code, calls, number, output);
	for (uint32_t at = 0; at < code->length; at += insn.length) {
		enum classfile_refusal why = CLASSFILE_DONE;

		if (!bytecode_read(code->bytes, code->length, at, &insn))
			return CLASSFILE_CODE_MALFORMED;
		if (stays(code, &insn))
			continue;
		output_bytes(output, code->bytes + copied, at - copied);
		copied = at + insn.length;
		if (code->catches[at])
			write_call(code, &calls->caught, number, output);
		if (code->sharing[at])
			why = write_test(code, calls, &insn, output);
		else if (bytecode_is_return(&insn))
			write_call(code, &calls->exit, number, output);
		if (!why)
			why = write_insn(code, &insn, output);
		if (why)
			return why;
	}
	output_bytes(output, code->bytes + copied, code->length - copied);
	write_ends(code, calls, number, output);
	return CLASSFILE_DONE;
}

/* ---- Exceptions ---- */

static struct class_input old_exceptions(const struct method_code *code)
{
	return (struct class_input){ code->exceptions,
				     code->exceptions +
					     (size_t)EXCEPTION_LEN *
						     code->exception_count,
				     0 };
}

/*
 * The stack may overflow in the call that is inserted before a handler. The
 * handler then continues after that call, with that error if it catches such
 * errors. The handler therefore releases its lock, and a handler within its own
 * range, such as javac's for synchronized, is not entered again and again. Adds
 * the number of these entries to *count.
 */
static void write_caught(const struct method_code *code, uint32_t *count,
			 struct class_output *output)
{
	struct class_input input = old_exceptions(code);
	uint32_t last_handler = NO_PLACE, last_type = 0;

	for (uint32_t i = 0; code->caught_bytes && i < code->exception_count;
	     i++) {
		uint32_t handler, type, place;

		input_u4(&input);
		handler = input_u2(&input);
		type = input_u2(&input);
		place = method_code_at(code, handler);
		if (place == NO_PLACE ||
		    (handler == last_handler && type == last_type))
			continue;
		output_u2(output, place);
		output_u2(output, place + code->caught_bytes);
		output_u2(output, place + code->caught_bytes);
		output_u2(output, type);
		*count += 1;
		last_handler = handler;
		last_type = type;
	}
}

static enum classfile_refusal write_old(const struct method_code *code,
					struct class_output *output)
{
	struct class_input input = old_exceptions(code);

	for (uint32_t i = 0; i < code->exception_count; i++) {
		const uint32_t start = input_u2(&input);
		const uint32_t end = input_u2(&input);
		const uint32_t handler = input_u2(&input);
		const uint32_t type = input_u2(&input);

		if (start >= end || method_code_edge(code, start) == NO_PLACE ||
		    method_code_edge(code, end) == NO_PLACE ||
		    method_code_at(code, handler) == NO_PLACE)
			return CLASSFILE_CODE_MALFORMED;
		output_u2(output, code->places[start]);
		output_u2(output, code->places[end]);
		output_u2(output, method_code_at(code, handler));
		output_u2(output, type);
	}
	return CLASSFILE_DONE;
}

static int state_at(const struct method_code *code, uint32_t offset)
{
	return code->states ? code->states[offset] : INITIALIZED;
}

/*
 * Returns the end of the instructions from an offset on that have the same
 * state.
 */
static uint32_t end_of_state(const struct method_code *code, uint32_t start)
{
	uint32_t at = start + 1;

	if (!code->states)
		return code->length;
	while (at < code->length &&
	       ((code->places[at] & WITHIN) ||
		state_at(code, at) == state_at(code, start)))
		at++;
	return at;
}

/* Writes a range from which exceptions go to the handler of a state. */
static void write_range(const struct method_code *code, uint32_t start,
			uint32_t end, int state, struct class_output *output)
{
	const int is_second = code->states && state == INITIALIZED;

	output_u2(output, start);
	output_u2(output, end);
	output_u2(output, method_code_handlers(code) +
				  (is_second ? code->handler_bytes : 0));
	output_u2(output, 0); /* the handler catches exceptions of any class */
}

enum classfile_refusal method_exceptions_write(const struct method_code *code,
					       struct class_output *output)
{
	const size_t count_at = output->used;
	uint32_t count = code->exception_count, end;
	enum classfile_refusal why;

	output_u2(output, 0);
	write_caught(code, &count, output);
	why = write_old(code, output);
	if (why)
		return why;
	for (uint32_t at = 0; at < code->length; at = end) {
		end = end_of_state(code, at);
		if (state_at(code, at) == INITIALIZES)
			continue;
		write_range(code, code->places[at], code->places[end],
			    state_at(code, at), output);
		count++;
	}
	if (code->exit_bytes) {
		write_range(code, code->places[code->length],
			    method_code_handlers(code), INITIALIZED, output);
		count++;
	}
	if (count > UINT16_MAX)
		return CLASSFILE_TOO_LARGE;
	output_set_u2(output, count_at, count);
	return CLASSFILE_DONE;
}
