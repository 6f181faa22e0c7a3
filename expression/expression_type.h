/* SPDX-License-Identifier: MIT */
/* Types in expressions: C's integers and those of stdint.h, and pointers to them. */
#ifndef CLEW_EXPRESSION_EXPRESSION_TYPE_H
#define CLEW_EXPRESSION_EXPRESSION_TYPE_H

#include "expression/expression.h"

static const struct expression_type type_long = { 8, 1, 0 };

/*
 * The type whose name begins at text[*at], which is moved behind it: "unsigned int **".
 * 0, or -EINVAL: there is none, and *at is where it was.
 */
int expression_type_parse(const char *text, size_t bytes, size_t *at,
			  struct expression_type *out);

/* Of what a pointer leads to; 0: of nothing (void). */
unsigned int expression_type_target(const struct expression_type *type);

#endif
