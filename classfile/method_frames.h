/* SPDX-License-Identifier: MIT */
/*
 * StackMapTable: the types of local variables and the stack at jump targets.
 * Frames are moved with their instructions, and frames for the handlers are
 * added.
 */
#ifndef CLEW_CLASSFILE_METHOD_FRAMES_H
#define CLEW_CLASSFILE_METHOD_FRAMES_H

#include "classfile/method_code.h"

/*
 * The first byte of a frame: it gives the distance from the previous frame, and
 * the changes.
 */
enum frame_tag {
	FRAME_SAME_MAX = 63,
	FRAME_SAME_ONE = 64, /* one value on the stack */
	FRAME_SAME_ONE_MAX = 127,
	FRAME_SAME_ONE_FAR = 247,
	FRAME_CHOP = 248,
	FRAME_SAME_FAR = 251,
	FRAME_FULL = 255,
};

/*
 * Sets code->result from the method's descriptor. Returns 1; 0 if the
 * descriptor is invalid, -1 if there is no room for constants.
 */
int method_frames_result(struct method_code *code,
			 const struct classfile_name *descriptor,
			 struct class_pool *pool);

/*
 * Sets frame_locals, and the elements of code->locals, which the caller has
 * allocated, to the types of the object and of the arguments, as in the first
 * frame. Called if methods store a variable for the tracker. Returns 1; 0 if
 * the descriptor is invalid, -1 if there is no room for constants.
 */
int method_frames_first(struct method_code *code,
			const struct classfile_method *method,
			uint32_t class_number, struct class_pool *pool);

/*
 * Writes the whole attribute. input is its old content, or empty. In a
 * constructor each frame must agree with code->states about the object.
 */
enum classfile_refusal method_frames_write(const struct method_code *code,
					   const struct tracker_calls *calls,
					   struct class_input input,
					   struct class_output *output);

#endif
