/* SPDX-License-Identifier: MIT */
/* Which general registers a function's arguments come in (System V ABI, 3.2.3). */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_ARGUMENTS_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_ARGUMENTS_H

#include "symbolizer/variables/debug_die.h"

struct variable_arguments {
	unsigned int used; /* general registers so far */
	unsigned int used_vectors;
	uint64_t stack; /* bytes from the CFA on, so far */
	int is_unknown; /* from here on */
};

enum argument_way {
	ARGUMENT_IS_IN_REGISTER,
	ARGUMENT_IS_ON_STACK,
	ARGUMENT_IS_ELSEWHERE, /* or not known */
};

/* For a function that returns this type; NULL: void. */
void variable_arguments_begin(struct debug_reading *reading, Dwarf_Die result,
			      struct variable_arguments *out);

/*
 * The next one, of this type; *number: 1...6 of what is in one register, or how far
 * from the CFA it is on the stack.
 */
enum argument_way variable_arguments_next(struct debug_reading *reading,
					  struct variable_arguments *arguments,
					  Dwarf_Die type, uint64_t *number);

#endif
