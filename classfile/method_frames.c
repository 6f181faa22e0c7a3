/* SPDX-License-Identifier: MIT */
/* See method_frames.h. */
#include "classfile/method_frames.h"

#define NOT_YET UINT32_MAX

struct frames_move {
	const struct method_code *code;
	struct class_input input;
	struct class_output *output;
	uint32_t from, to; /* positions of the last frame, or NOT_YET */
	/*
	 * Local variables of the last frame, and the first uninitialised one.
	 */
	uint32_t locals, this_local; /* NOT_YET if there is none */
	/* The last frame's stack, in the input, and its number of values. */
	struct class_input stack_input;
	uint32_t stack;
};

/* Copies one type. Returns whether it is valid. */
static int move_type(struct frames_move *move, uint8_t *type)
{
	uint32_t place;

	*type = input_u1(&move->input);
	output_u1(move->output, *type);
	if (*type == TYPE_OBJECT) {
		output_u2(move->output, input_u2(&move->input));
	} else if (*type == TYPE_NEW) {
		place = method_code_insn(move->code, input_u2(&move->input));
		if (place == NO_PLACE)
			return 0;
		output_u2(move->output, place);
	}
	return *type <= TYPE_NEW && !move->input.is_short;
}

static int move_locals(struct frames_move *move, uint32_t count)
{
	uint8_t type;

	for (uint32_t i = 0; i < count; i++) {
		if (!move_type(move, &type))
			return 0;
		if (type == TYPE_THIS && move->this_local == NOT_YET)
			move->this_local = move->locals;
		move->locals++;
	}
	return 1;
}

static int move_stack(struct frames_move *move, uint32_t count)
{
	uint8_t type;

	move->stack_input = move->input;
	move->stack = count;
	for (uint32_t i = 0; i < count; i++)
		if (!move_type(move, &type))
			return 0;
	return 1;
}

static int move_full(struct frames_move *move)
{
	uint32_t count = input_u2(&move->input);

	move->locals = 0;
	move->this_local = NOT_YET;
	output_u2(move->output, count);
	if (!move_locals(move, count))
		return 0;
	count = input_u2(&move->input);
	output_u2(move->output, count);
	return move_stack(move, count);
}

static int chop(struct frames_move *move, uint32_t count)
{
	if (count > move->locals)
		return move->code->states == NULL && !move->code->locals;
	move->locals -= count;
	if (move->this_local != NOT_YET && move->this_local >= move->locals)
		move->this_local = NOT_YET;
	return 1;
}

/* ---- Full frames, because a variable follows all others ---- */

static void write_tops(struct class_output *output, uint32_t count)
{
	while (count-- > 0)
		output_u1(output, TYPE_TOP);
}

static void write_kept(const struct frames_move *move)
{
	output_u1(move->output, TYPE_LONG);
	if (move->code->keeps_state)
		output_u1(move->output, TYPE_INTEGER);
}

static int read_locals(struct frames_move *move, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct frame_local local = { .type = input_u1(&move->input) };
		uint32_t of = 0;

		if (local.type == TYPE_OBJECT || local.type == TYPE_NEW)
			of = input_u2(&move->input);
		if (local.type == TYPE_NEW)
			of = method_code_insn(move->code, of);
		if (of == NO_PLACE || local.type > TYPE_NEW ||
		    move->locals >= move->code->kept)
			return 0;
		if (local.type == TYPE_THIS && move->this_local == NOT_YET)
			move->this_local = move->locals;
		local.of = (uint16_t)of;
		move->code->locals[move->locals++] = local;
	}
	return !move->input.is_short;
}

static int write_locals(const struct frames_move *move)
{
	const struct frame_local *locals = move->code->locals;
	const uint32_t kept = move->code->kept;
	uint32_t slots = move->locals;

	for (uint32_t i = 0; i < move->locals; i++)
		slots += locals[i].type == TYPE_LONG ||
			 locals[i].type == TYPE_DOUBLE;
	if (slots > kept)
		return 0;
	output_u2(move->output,
		  move->locals + (kept - slots) + 1 + move->code->keeps_state);
	for (uint32_t i = 0; i < move->locals; i++) {
		output_u1(move->output, locals[i].type);
		if (locals[i].type >= TYPE_OBJECT)
			output_u2(move->output, locals[i].of);
	}
	write_tops(move->output, kept - slots);
	write_kept(move);
	return 1;
}

static int write_whole(struct frames_move *move, uint8_t tag, uint32_t far)
{
	uint32_t stack =
		tag > FRAME_SAME_MAX && tag <= FRAME_SAME_ONE_FAR ? 1 : 0;

	if (tag >= FRAME_CHOP && tag < FRAME_SAME_FAR &&
	    !chop(move, FRAME_SAME_FAR - tag))
		return 0;
	if (tag > FRAME_SAME_FAR && tag < FRAME_FULL &&
	    !read_locals(move, tag - FRAME_SAME_FAR))
		return 0;
	if (tag == FRAME_FULL) {
		move->locals = 0;
		move->this_local = NOT_YET;
		if (!read_locals(move, input_u2(&move->input)))
			return 0;
		stack = input_u2(&move->input);
	}
	output_u1(move->output, FRAME_FULL);
	output_u2(move->output, far);
	if (!write_locals(move))
		return 0;
	output_u2(move->output, stack);
	return move_stack(move, stack);
}

/* ---- All frames ---- */

/* Computes the offset of the next frame in the old code, and its position. */
static int next_place(struct frames_move *move, uint32_t delta, uint32_t *far)
{
	const uint32_t from =
		move->from == NOT_YET ? delta : move->from + 1 + delta;
	const uint32_t to = method_code_at(move->code, from);

	if (to == NO_PLACE)
		return 0;
	*far = move->to == NOT_YET ? to : to - move->to - 1;
	move->from = from;
	move->to = to;
	return 1;
}

static void write_head(struct class_output *output, uint32_t near, uint32_t far,
		       uint32_t distance)
{
	if (distance <= FRAME_SAME_MAX) {
		output_u1(output, near + distance);
		return;
	}
	output_u1(output, far);
	output_u2(output, distance);
}

static int move_frame(struct frames_move *move)
{
	const uint8_t tag = input_u1(&move->input);
	uint32_t delta = tag, far;

	if (tag > FRAME_SAME_ONE_MAX && tag < FRAME_SAME_ONE_FAR)
		return 0;
	if (tag > FRAME_SAME_ONE_MAX)
		delta = input_u2(&move->input);
	else if (tag > FRAME_SAME_MAX)
		delta = tag - FRAME_SAME_ONE;
	if (!next_place(move, delta, &far))
		return 0;
	if (move->code->locals)
		return write_whole(move, tag, far);
	if (tag <= FRAME_SAME_MAX || tag == FRAME_SAME_FAR) {
		write_head(move->output, 0, FRAME_SAME_FAR, far);
		return 1;
	}
	if (tag <= FRAME_SAME_ONE_FAR) {
		write_head(move->output, FRAME_SAME_ONE, FRAME_SAME_ONE_FAR,
			   far);
		return move_stack(move, 1);
	}
	output_u1(move->output, tag);
	output_u2(move->output, far);
	if (tag < FRAME_SAME_FAR)
		return chop(move, FRAME_SAME_FAR - tag);
	return tag == FRAME_FULL ? move_full(move)
				 : move_locals(move, tag - FRAME_SAME_FAR);
}

/*
 * Repeats a handler's frame after the call that is inserted before it
 * (method_code.c). Returns whether it was repeated; frames that no handler can
 * have are not.
 */
static int repeat_frame(struct frames_move *move)
{
	const struct method_code *code = move->code;

	if (!code->catches[move->from] || !code->caught_bytes ||
	    move->stack != 1)
		return 0;
	write_head(move->output, FRAME_SAME_ONE, FRAME_SAME_ONE_FAR,
		   code->caught_bytes - 1);
	move->input = move->stack_input;
	move_stack(move, 1);
	move->to += code->caught_bytes;
	return 1;
}

/*
 * Returns whether the frame and the code's flow agree about a constructor's
 * object.
 */
static int is_understood(const struct frames_move *move)
{
	const uint8_t *states = move->code->states;

	return !states || (states[move->from] != INITIALIZED) ==
				  (move->this_local != NOT_YET);
}

/* Begins a frame at a new position, up to its local variables. */
static void begin_own(struct frames_move *move, uint32_t place)
{
	output_u1(move->output, FRAME_FULL);
	output_u2(move->output,
		  move->to == NOT_YET ? place : place - move->to - 1);
	move->to = place;
}

/*
 * Writes a handler's frame: an exception on the stack, and only necessary
 * variables.
 */
static void write_handler(struct frames_move *move, uint32_t place,
			  int is_uninitialized,
			  const struct tracker_calls *calls)
{
	const uint32_t own = is_uninitialized ? 1 : 0;

	begin_own(move, place);
	output_u2(move->output,
		  calls->keeps ? move->code->kept + 1 + move->code->keeps_state
			       : own);
	if (own)
		output_u1(move->output, TYPE_THIS);
	if (calls->keeps) {
		write_tops(move->output, move->code->kept - own);
		write_kept(move);
	}
	output_u2(move->output, 1);
	output_u1(move->output, TYPE_OBJECT);
	output_u2(move->output, calls->throwable);
}

/* Writes the frame of the shared exit: the result on the stack. */
static void write_exit(struct frames_move *move)
{
	const struct method_code *code = move->code;

	begin_own(move, code->places[code->length]);
	output_u2(move->output, code->kept + 1 + code->keeps_state);
	write_tops(move->output, code->kept);
	write_kept(move);
	output_u2(move->output, code->result.slots ? 1 : 0);
	if (code->result.slots)
		output_u1(move->output, code->result.type.type);
	if (code->result.slots && code->result.type.type == TYPE_OBJECT)
		output_u2(move->output, code->result.type.of);
}

/*
 * Writes the frame at which an unreported call continues, unless the method has
 * one there.
 */
static int write_beginning(struct frames_move *move, struct class_input frames)
{
	const uint8_t tag = input_u1(&frames);
	const int is_far = tag > FRAME_SAME_ONE_MAX;

	if (frames.at && !frames.is_short &&
	    (is_far ? !input_u2(&frames) : tag == 0 || tag == FRAME_SAME_ONE))
		return 1;
	begin_own(move, move->code->places[0]);
	if (!write_locals(move))
		return 0;
	output_u2(move->output, 0);
	return 1;
}

enum classfile_refusal method_frames_write(const struct method_code *code,
					   const struct tracker_calls *calls,
					   struct class_input input,
					   struct class_output *output)
{
	struct frames_move move = {
		.code = code,
		.input = input,
		.output = output,
		.from = NOT_YET,
		.to = NOT_YET,
		.locals = code->frame_locals,
		.this_local = code->states ? 0 : NOT_YET,
	};
	const uint32_t old_count = input.at ? input_u2(&move.input) : 0;
	size_t length_at, count_at;
	uint32_t count = 0;

	output_u2(output, calls->frames);
	length_at = output->used;
	output_u4(output, 0);
	count_at = output->used;
	output_u2(output, 0);
	if (calls->gate && !write_beginning(&move, move.input))
		return CLASSFILE_CODE_MALFORMED;
	count += move.to != NOT_YET;
	for (uint32_t i = 0; i < old_count; i++) {
		move.stack = 0;
		if (!move_frame(&move))
			return CLASSFILE_CODE_MALFORMED;
		if (!is_understood(&move))
			return CLASSFILE_CONSTRUCTOR;
		count += repeat_frame(&move);
	}
	if (move.input.is_short || input_left(&move.input) > 0)
		return CLASSFILE_CODE_MALFORMED;
	count += old_count + code->handler_count;
	if (code->exit_bytes) {
		write_exit(&move);
		count++;
	}
	for (uint32_t i = 0; i < code->handler_count; i++) {
		const int is_uninitialized = code->states && i == 0;

		write_handler(&move,
			      method_code_handlers(code) +
				      i * code->handler_bytes,
			      is_uninitialized, calls);
	}
	if (count > UINT16_MAX)
		return CLASSFILE_TOO_LARGE;
	output_set_u2(output, count_at, count);
	output_set_u4(output, length_at,
		      (uint32_t)(output->used - length_at - 4));
	return CLASSFILE_DONE;
}
