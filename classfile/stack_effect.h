/* SPDX-License-Identifier: MIT */
/*
 * Counts the stack slots that instructions and methods pop and push. A long and
 * a double have two slots.
 */
#ifndef CLEW_CLASSFILE_STACK_EFFECT_H
#define CLEW_CLASSFILE_STACK_EFFECT_H

#include "classfile/bytecode.h"
#include "classfile/class_pool.h"

/* The slots of a method, from its descriptor. */
struct method_slots {
	uint32_t arguments;      /* number of arguments */
	uint32_t argument_slots; /* 2 for a long or a double */
	uint32_t result_slots;
};

/* Reads a descriptor. Returns whether it is valid. */
int method_slots_read(const struct classfile_name *descriptor,
		      struct method_slots *out);

/*
 * Sets the numbers of slots that an instruction pops and pushes. Returns 0 if
 * its constant is invalid, or if it belongs to a subroutine.
 */
int stack_effect(const struct class_pool *pool, const struct bytecode *insn,
		 uint32_t *pops, uint32_t *pushes);

#endif
