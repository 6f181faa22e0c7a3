/* SPDX-License-Identifier: MIT */
/*
 * Return instructions that jump to one exit in reported calls. The stack must
 * be the same at each, because the exit has one frame (StackMapTable): only the
 * result, as compilers leave it.
 */
#ifndef CLEW_CLASSFILE_SHARED_EXIT_H
#define CLEW_CLASSFILE_SHARED_EXIT_H

#include "classfile/method_code.h"

/*
 * Marks such returns in code->sharing; code->result must be set. frames is the
 * content of that attribute, or empty. The code may be invalid: then the marks
 * are useless, but the verifier would not have accepted the original either.
 */
void shared_exit_find(struct method_code *code, const struct class_pool *pool,
		      struct class_input frames);

#endif
