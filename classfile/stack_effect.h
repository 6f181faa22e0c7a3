/* SPDX-License-Identifier: MIT */
/*
 * How many slots of the stack instructions and methods take and give. A long and a
 * double have two.
 */
#ifndef CLEW_CLASSFILE_STACK_EFFECT_H
#define CLEW_CLASSFILE_STACK_EFFECT_H

#include "classfile/bytecode.h"
#include "classfile/class_pool.h"

/* A method's, from its descriptor. */
struct method_slots {
	uint32_t arguments;      /* how many there are */
	uint32_t argument_slots; /* 2 of a long or a double */
	uint32_t result_slots;
};

/* Whether it is one. */
int method_slots_read(const struct classfile_name *descriptor,
		      struct method_slots *out);

/*
 * Slots that an instruction pops and pushes, or 0: its constant is not what it should
 * be, or it is one of a subroutine.
 */
int stack_effect(const struct class_pool *pool, const struct bytecode *insn,
		 uint32_t *pops, uint32_t *pushes);

#endif
