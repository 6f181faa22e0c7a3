/* SPDX-License-Identifier: MIT */
/* What an expression is made of: steps of a machine with a stack. */
#ifndef CLEW_EXPRESSION_EXPRESSION_STEPS_H
#define CLEW_EXPRESSION_EXPRESSION_STEPS_H

enum expression_operation {
	STEP_NUMBER,   /* push `number` */
	STEP_REGISTER, /* push register `detail` */
	STEP_BASE,     /* push where the probe's module is loaded */
	STEP_TID,      /* push the thread's number */
	STEP_CUT,      /* keep `detail` bytes; number: with their sign */
	STEP_LOAD,     /* the same of what lies there */
	STEP_NEGATE,
	STEP_NOT,      /* ! */
	STEP_INVERT,   /* ~ */
	STEP_IS_TEXT,  /* whether the text at `number` is the string there */
	STEP_AND_THEN, /* && : 0 stays, and `number` steps are left out */
	STEP_OR_ELSE,  /* || : anything else becomes 1, likewise */
	/* Of two: the upper is the right one. `detail`: they are unsigned. */
	STEP_TIMES,
	STEP_BY,
	STEP_REST,
	STEP_PLUS,
	STEP_MINUS,
	STEP_LEFT,
	STEP_RIGHT,
	STEP_LESS,
	STEP_LESS_OR_SAME,
	STEP_SAME,
	STEP_AND,
	STEP_XOR,
	STEP_OR,
};

#endif
