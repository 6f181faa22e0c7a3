/* SPDX-License-Identifier: MIT */
/* The steps of an expression, for a stack machine. */
#ifndef CLEW_EXPRESSION_EXPRESSION_STEPS_H
#define CLEW_EXPRESSION_EXPRESSION_STEPS_H

enum expression_operation {
	STEP_NUMBER,   /* push `number` */
	STEP_REGISTER, /* push register `detail` */
	STEP_BASE,     /* push the load bias of the probe's module */
	STEP_TID,      /* push the thread's id */
	STEP_CUT,      /* keep `detail` bytes; with sign if `number` */
	/* Replace an address by the memory there, and cut it like STEP_CUT. */
	STEP_LOAD,
	STEP_NEGATE,
	STEP_NOT,    /* the operator ! */
	STEP_INVERT, /* the operator ~ */
	/* compare the string at the address on top with the text at `number` */
	STEP_IS_TEXT,
	/*
	 * && after its left operand: if that is 0, skips the `number` steps of
	 * the right operand; else pops it.
	 */
	STEP_AND_THEN,
	/*
	 * || after its left operand: if that is not 0, replaces it by 1 and
	 * skips the `number` steps of the right operand; else pops it.
	 */
	STEP_OR_ELSE,
	/*
	 * The following steps have two operands, of which the right one is on
	 * top. `detail` is 1 if they are unsigned.
	 */
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
