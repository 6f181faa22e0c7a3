/* SPDX-License-Identifier: MIT */
/*
 * Finds the instructions of a constructor before which its object is not
 * initialised: from the entry to the calls of super() or this().
 *
 * The code is followed from its start, with a flag for each slot of the stack
 * and of the local variables: whether it contains the object. A path ends where
 * <init> is called on the object. Code that is not reached in this way is after
 * that call, or is never reached.
 */
#ifndef CLEW_CLASSFILE_UNINITIALIZED_H
#define CLEW_CLASSFILE_UNINITIALIZED_H

#include "classfile/method_code.h"

/*
 * marks (enum code_state) and seen have a byte for each byte of code, all 0.
 * Sets marks at instructions. Refuses invalid code, and code that would take
 * long.
 */
enum classfile_refusal uninitialized_find(const struct method_code *code,
					  const struct class_pool *pool,
					  const struct classfile_caller *caller,
					  uint8_t *marks, uint8_t *seen);

#endif
