/* SPDX-License-Identifier: MIT */
/*
 * Types in expressions: C's integers, those of stdint.h, and pointers to them.
 */
#ifndef CLEW_EXPRESSION_EXPRESSION_TYPE_H
#define CLEW_EXPRESSION_EXPRESSION_TYPE_H

#include "expression/expression.h"

static const struct expression_type type_long = { 8, 1, 0 };

/*
 * Parses a type at text[*at], such as "unsigned int **", and moves *at after
 * it. Returns 0, or -EINVAL, with *at unchanged, if there is none.
 */
int expression_type_parse(const char *text, size_t bytes, size_t *at,
			  struct expression_type *out);

/* Returns the size of a pointer's target; 0 for void. */
unsigned int expression_type_target(const struct expression_type *type);

#endif
