/* SPDX-License-Identifier: MIT */
/*
 * Where in a constructor its object is not initialised yet: from the entry to the
 * calls of super() or this().
 *
 * The code is followed from its beginning with a note for each slot of the stack
 * and of the local variables: is it the object? A way ends where <init> is called
 * on it. What is not met on the way is code behind that, or code that is never
 * reached.
 */
#ifndef CLEW_CLASSFILE_UNINITIALIZED_H
#define CLEW_CLASSFILE_UNINITIALIZED_H

#include "classfile/method_code.h"

/*
 * marks (enum code_state) and seen: a byte for each of the code's, all 0. Sets marks
 * at instructions.
 * What is not valid code is refused, and what would take long.
 */
enum classfile_refusal uninitialized_find(const struct method_code *code,
					  const struct class_pool *pool,
					  const struct classfile_caller *caller,
					  uint8_t *marks, uint8_t *seen);

#endif
