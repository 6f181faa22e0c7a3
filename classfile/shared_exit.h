/* SPDX-License-Identifier: MIT */
/*
 * Returns that jump to one exit if they have something to tell. The stack has to be the
 * same at each, as the exit has one frame (StackMapTable): the result, and nothing else,
 * as compilers leave it.
 */
#ifndef CLEW_CLASSFILE_SHARED_EXIT_H
#define CLEW_CLASSFILE_SHARED_EXIT_H

#include "classfile/method_code.h"

/*
 * Marks such returns in code->sharing, of which code->result is known. frames is what is
 * in the attribute of that name, or nothing. The code may be anything: then what is marked is of no
 * use, and the verifier would not have taken it either.
 */
void shared_exit_find(struct method_code *code, const struct class_pool *pool,
		      struct class_input frames);

#endif
