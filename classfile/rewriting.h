/* SPDX-License-Identifier: MIT */
/*
 * A class that is being rewritten: rewrite.c reads it from its header to its methods, and
 * method_rewrite.c writes those that were chosen.
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
	struct tracker_calls calls; /* method 0: not made yet */
	struct class_output body;   /* what follows the constants */
	struct classfile_name class_name, source;
	uint32_t class_number, class_access;
	int has_super;
	uint32_t method_count;
	/* for one method at a time */
	uint32_t *places;
	uint8_t *marks;
	uint32_t scratch_length;
};

/* One, as it is in the file. */
struct old_method {
	const uint8_t *start;
	struct class_input attributes; /* behind their count */
	uint32_t attribute_count;
	struct classfile_method asked;
	struct method_code code;
};

/* The next attribute; whether it is whole. */
static inline int read_attribute(struct class_input *input, uint32_t *name,
				 struct class_input *content)
{
	*name = input_u2(input);
	*content = input_part(input, input_u4(input));
	return !input->is_short;
}

/* One that was chosen, as it is from then on. Whoever refuses it has to take back what was written. */
enum classfile_refusal method_rewrite(struct rewriting *re,
				      struct old_method *method,
				      uint32_t number);

#endif
