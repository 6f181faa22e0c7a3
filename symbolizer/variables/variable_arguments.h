/* SPDX-License-Identifier: MIT */
/* Assigns arguments of functions to general registers (System V ABI, 3.2.3). */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_ARGUMENTS_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_ARGUMENTS_H

#include "symbolizer/variables/debug_die.h"

struct variable_arguments {
	unsigned int used; /* number of used general registers */
	unsigned int used_vectors;
	uint64_t stack; /* bytes of arguments on the stack so far */
	int is_unknown; /* the places of later arguments are unknown */
};

enum argument_passing {
	ARGUMENT_IS_IN_REGISTER,
	ARGUMENT_IS_ON_STACK,
	ARGUMENT_IS_ELSEWHERE, /* or unknown */
};

/* Begins the arguments of a function with this return type; NULL: void. */
void variable_arguments_begin(struct debug_reading *reading, Dwarf_Die result,
			      struct variable_arguments *out);

/*
 * Returns where the next argument, of this type, is passed. *number is 1...6
 * for a register, or the distance from the CFA on the stack.
 */
enum argument_passing variable_arguments_next(
	struct debug_reading *reading, struct variable_arguments *arguments,
	Dwarf_Die type, uint64_t *number);

#endif
