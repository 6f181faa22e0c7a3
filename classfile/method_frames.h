/* SPDX-License-Identifier: MIT */
/*
 * StackMapTable: the types of local variables and stack at places to which
 * code jumps. Frames are moved with their instructions, and the handlers get theirs.
 */
#ifndef CLEW_CLASSFILE_METHOD_FRAMES_H
#define CLEW_CLASSFILE_METHOD_FRAMES_H

#include "classfile/method_code.h"

/* What a frame begins with: how far it is from the one before, and what has changed. */
enum frame_tag {
	FRAME_SAME_MAX = 63,
	FRAME_SAME_ONE = 64, /* one on the stack */
	FRAME_SAME_ONE_MAX = 127,
	FRAME_SAME_ONE_FAR = 247,
	FRAME_CHOP = 248,
	FRAME_SAME_FAR = 251,
	FRAME_FULL = 255,
};

/*
 * What the method returns, by its descriptor, to be in code->result. 0: the descriptor is
 * none. -1: there is no room for constants.
 */
int method_frames_result(struct method_code *code,
			 const struct classfile_name *descriptor,
			 struct class_pool *pool);

/*
 * Where the tracker's calls keep a variable: the types of the arguments, that the
 * first frame has, to be in code->locals, which is there. 0: the descriptor is none.
 * -1: there is no room for constants.
 */
int method_frames_first(struct method_code *code,
			const struct classfile_method *method,
			uint32_t class_number, struct class_pool *pool);

/*
 * The whole attribute. input is what was in it, or nothing: there was none. In
 * a constructor each frame has to say of the object what code->states does.
 */
enum classfile_refusal method_frames_write(const struct method_code *code,
					   const struct tracker_calls *calls,
					   struct class_input input,
					   struct class_output *output);

#endif
