/* SPDX-License-Identifier: MIT */
/*
 * See shared_exit.h. Instructions are read once, in order. The depth of the
 * stack follows from the preceding instruction or, after one that does not
 * continue, from the frame at that position.
 */
#include "classfile/shared_exit.h"

#include "classfile/bytecode.h"
#include "classfile/method_frames.h"
#include "classfile/stack_effect.h"

#define UNKNOWN UINT32_MAX

/* The frames, in the order of their instructions. */
struct frame_depths {
	struct class_input input;
	uint32_t left,
		at; /* number of remaining frames; offset of the current one */
	uint32_t depth; /* number of slots on the current frame's stack */
	int has_first;
};

static uint32_t skip_types(struct class_input *input, uint32_t count)
{
	uint32_t slots = 0;

	while (count-- > 0) {
		const uint8_t type = input_u1(input);

		slots += type == TYPE_LONG || type == TYPE_DOUBLE ? 2 : 1;
		if (type == TYPE_OBJECT || type == TYPE_NEW)
			input_u2(input);
		if (input->is_short)
			return UNKNOWN;
	}
	return slots;
}

static void read_frame(struct frame_depths *frames)
{
	const uint8_t tag = input_u1(&frames->input);
	uint32_t delta = tag;

	frames->depth = 0;
	if (tag > FRAME_SAME_ONE_MAX)
		delta = input_u2(&frames->input);
	else if (tag > FRAME_SAME_MAX)
		delta = tag - FRAME_SAME_ONE;
	if (tag > FRAME_SAME_MAX && tag <= FRAME_SAME_ONE_FAR)
		frames->depth = skip_types(&frames->input, 1);
	else if (tag > FRAME_SAME_FAR && tag < FRAME_FULL)
		skip_types(&frames->input, tag - FRAME_SAME_FAR);
	if (tag == FRAME_FULL) {
		skip_types(&frames->input, input_u2(&frames->input));
		frames->depth =
			skip_types(&frames->input, input_u2(&frames->input));
	}
	frames->at += frames->has_first ? delta + 1 : delta;
	frames->has_first = 1;
	frames->left--;
}

/*
 * Returns the depth of the stack at an offset, from its frame, or `depth`
 * without a frame.
 */
static uint32_t depth_at(struct frame_depths *frames, uint32_t at,
			 uint32_t depth)
{
	while (frames->left > 0 && (!frames->has_first || frames->at < at))
		read_frame(frames);
	return frames->has_first && frames->at == at ? frames->depth : depth;
}

static uint32_t depth_behind(const struct class_pool *pool,
			     const struct bytecode *insn, uint32_t depth)
{
	uint32_t pops, pushes;

	if (depth == UNKNOWN || bytecode_ends(insn) ||
	    !stack_effect(pool, insn, &pops, &pushes) || depth < pops)
		return UNKNOWN;
	return depth - pops + pushes;
}

void shared_exit_find(struct method_code *code, const struct class_pool *pool,
		      struct class_input input)
{
	struct frame_depths frames = { .input = input };
	struct bytecode insn;
	uint32_t depth = 0;

	if (input.at)
		frames.left = input_u2(&frames.input);
	for (uint32_t at = 0; at < code->length; at += insn.length) {
		if (!bytecode_read(code->bytes, code->length, at, &insn))
			return;
		depth = depth_at(&frames, at, depth);
		code->sharing[at] = insn.opcode == code->result.opcode &&
				    depth == code->result.slots;
		depth = depth_behind(pool, &insn, depth);
	}
}
