/* SPDX-License-Identifier: MIT */
/*
 * Users' expressions on the program's state where a probe is hit, in C syntax:
 *
 *	arg1 ... arg6		arguments in registers, at a function's entry
 *	ret			a function's result, at its exit
 *	$rdi $eax $cl ...	registers, and parts of them; $rsp, $eflags
 *	$base			load bias: process address minus the address in
 *				the module's file
 *	tid			the thread's id
 *	12 0x1f 'c'		numbers
 *	(unsigned char)e	casts to C's integers, stdint.h's, and pointers
 *	*e  e[e]		memory; e must be a pointer
 *	- ! ~  * / %  + -  << >>  < <= > >=  == !=  & ^ |  && ||  ( )
 *	e == "text"		compares the string at e; also !=
 *
 * Operators are C's, on 64 bits. Any other name is refused: variables are
 * replaced by these terms where debugging information is read
 * (cli/probes/action_rewriting.h).
 *
 * An expression is parsed in memory of the caller, and evaluated anywhere: no
 * libc, only general registers, nothing that waits; it ends after its number of
 * steps.
 */
#ifndef CLEW_EXPRESSION_EXPRESSION_H
#define CLEW_EXPRESSION_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "machine/registers.h"

#define EXPRESSION_STEPS_MAX 64
#define EXPRESSION_STACK_MAX 16
/* maximum size of all strings with their NULs, in bytes */
#define EXPRESSION_TEXT_MAX 64

/* The type of an expression's value. */
struct expression_type {
	/*
	 * Size of the integer, or of a pointer's final target: 1, 2, 4, 8, or 0
	 * for void.
	 */
	uint8_t bytes;
	uint8_t is_signed;
	uint8_t stars; /* levels of pointers; 0 for an integer */
};

struct expression_step {
	uint8_t operation; /* enum of expression_steps.h */
	uint8_t detail;
	uint64_t number;
};

struct expression {
	struct expression_type type;
	uint16_t count;
	struct expression_step steps[EXPRESSION_STEPS_MAX];
	char text[EXPRESSION_TEXT_MAX];
};

/* An error in a text. */
struct expression_problem {
	size_t at; /* offset in bytes */
	const char *what;
};

/* Parses all of text[0..bytes). Returns 0, or -EINVAL and sets *problem. */
int expression_parse(const char *text, size_t bytes, struct expression *out,
		     struct expression_problem *problem);

/* ---- Fields and their formats ---- */

#define EXPRESSION_FIELDS_MAX 16
/* Maximum of N in a field's format "/sN": how many bytes are recorded. */
#define EXPRESSION_STRING_MAX 256
/* N if the format does not give it. */
#define EXPRESSION_STRING_LESS 64

/*
 * An element of a list: "arg1, arg2/x, arg3/s20". A format is a "/" followed by
 * one of these letters and optional digits. The field's name is its text
 * without format and blanks, or `name` in "`name` arg1".
 */
struct expression_field {
	/*
	 * d, u, x, c: the number; s: the string at that address. The default is
	 * s for a char *, x for other pointers, else d or u.
	 */
	char format;
	/* Format s: maximum number of recorded bytes. */
	uint16_t string_bytes;
	/* The field's name is text[start..end) of the parsed list. */
	size_t start, end;
	struct expression expression;
};

/*
 * Parses the first field of a list at *at, and moves *at after it and its
 * comma. Returns 0, or -EINVAL and sets *problem. The list ends at text[bytes].
 */
int expression_field_parse(const char *text, size_t bytes, size_t *at,
			   struct expression_field *out,
			   struct expression_problem *problem);

/* ---- Evaluation ---- */

struct expression_view {
	const uint64_t *registers; /* an array of MACHINE_REGISTERS elements */
	uint64_t base;             /* load bias of the probe's module */
	/* returns the thread's id; called only if the expression needs it */
	uint64_t (*tid)(void);
	/* Copies memory; returns other than 0 if it cannot be read. */
	long (*read)(void *to, uint64_t from, size_t bytes);
};

/*
 * The reason why an expression has no value. The numbers are part of
 * recordings, so new ones are added at the end.
 */
enum expression_failure {
	EXPRESSION_IS_FINE,
	EXPRESSION_IS_UNREADABLE, /* memory could not be read */
	EXPRESSION_IS_DIVIDED,    /* a division by zero */
};

enum expression_failure expression_evaluate(const struct expression *expression,
					    const struct expression_view *view,
					    uint64_t *value);

/* Returns whether the value depends on no register except this one. */
int expression_needs_only(const struct expression *expression,
			  unsigned int number);

#endif
