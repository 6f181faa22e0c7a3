/* SPDX-License-Identifier: MIT */
/*
 * A class during rewriting: rewrite.c reads it from its header to its methods,
 * and method_rewrite.c writes the chosen methods.
 */
#ifndef CLEW_CLASSFILE_REWRITING_H
#define CLEW_CLASSFILE_REWRITING_H

#include "classfile/method_code.h"

struct rewriting {
	const struct classfile_tracker *tracker;
	const struct classfile_caller *caller;
	const uint8_t *data;
	uint32_t major;
	struct class_pool pool;
	/*
	 * calls of the tracker; all 0 until their constants are added, for the
	 * first method that is rewritten
	 */
	struct tracker_calls calls;
	struct class_output body; /* the part after the constants */
	struct classfile_name class_name, source;
	uint32_t class_number, class_access;
	int has_super;
	uint32_t method_count;
	/* Working memory for one method at a time. */
	uint32_t *places;
	uint8_t *marks;
	uint32_t scratch_length;
};

/* A method in the original file. */
struct old_method {
	const uint8_t *start;
	struct class_input attributes; /* the attributes, without their count */
	uint32_t attribute_count;
	struct classfile_method asked;
	struct method_code code;
};

/* Reads the next attribute. Returns whether it is complete. */
static inline int read_attribute(struct class_input *input, uint32_t *name,
				 struct class_input *content)
{
	*name = input_u2(input);
	*content = input_part(input, input_u4(input));
	return !input->is_short;
}

/*
 * Writes a chosen method. If it is refused, the caller must drop the written
 * bytes.
 */
enum classfile_refusal method_rewrite(struct rewriting *re,
				      struct old_method *method,
				      uint32_t number);

#endif
