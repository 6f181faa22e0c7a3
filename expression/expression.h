/* SPDX-License-Identifier: MIT */
/*
 * What a user asks of a program's state where a probe is hit, in the words of C:
 *
 *	arg1 ... arg6		arguments in registers, at a function's entry
 *	ret			what a function returns, where it is left
 *	$rdi $eax $cl ...	registers, and parts of them; $rsp, $eflags
 *	$base			what is to be added to an address as the module's file
 *				has it, for one of the process
 *	tid			the thread's number
 *	12 0x1f 'c'		numbers
 *	(unsigned char)e	casts to C's integers, stdint.h's, and pointers to them
 *	*e  e[e]		what lies in memory; e must be a pointer
 *	- ! ~  * / % + - << >> < <= > >= == != & ^ | && ||  ( )
 *	e == "text"		whether the string at e is that; != likewise
 *
 * Operators are C's, on 64 bits. A name that is none of these is refused: who reads
 * debugging information, which is not here, writes variables in these words
 * (cli/probes/action_rewriting.h).
 *
 * An expression is parsed in memory of the caller's, and evaluated anywhere: no libc,
 * general registers only, nothing that waits; it ends after as many steps as it has.
 */
#ifndef CLEW_EXPRESSION_EXPRESSION_H
#define CLEW_EXPRESSION_EXPRESSION_H

#include <stddef.h>
#include <stdint.h>

#include "machine/registers.h"

#define EXPRESSION_STEPS_MAX 64
#define EXPRESSION_STACK_MAX 16
#define EXPRESSION_TEXT_MAX  64 /* bytes of strings, their NULs included */

/* What an expression's value is. */
struct expression_type {
	uint8_t bytes; /* of the integer: 1, 2, 4, 8; behind a pointer's stars */
	uint8_t is_signed;
	uint8_t stars; /* a pointer; 0: an integer */
};

struct expression_step {
	uint8_t operation; /* of expression_steps.h */
	uint8_t detail;
	uint64_t number;
};

struct expression {
	struct expression_type type;
	uint16_t count;
	struct expression_step steps[EXPRESSION_STEPS_MAX];
	char text[EXPRESSION_TEXT_MAX];
};

/* Where a text is wrong. */
struct expression_problem {
	size_t at; /* bytes from its start */
	const char *what;
};

/* All of text[0..bytes). 0, or -EINVAL and *problem. */
int expression_parse(const char *text, size_t bytes, struct expression *out,
		     struct expression_problem *problem);

/* ---- What is shown, and how ---- */

#define EXPRESSION_FIELDS_MAX  16
#define EXPRESSION_STRING_MAX  256 /* bytes that can be asked for */
#define EXPRESSION_STRING_LESS 64  /* if nothing is said */

/*
 * One of a list: "arg1, arg2/x, arg3/s20". A format stands behind a "/" that is
 * followed by one of these letters and at most digits. It is called as it is written,
 * format and blanks apart; or "`name` arg1" as it says.
 */
struct expression_field {
	/*
	 * d, u, x, c: the number; s: the string that it is the address of.
	 * If none is given: s for a char *, x for other pointers, d or u.
	 */
	char format;
	uint16_t string_bytes; /* of "s": so much of it at most */
	size_t start, end;     /* what it is called, in the list */
	struct expression expression;
};

/*
 * The first of a list that begins at *at, which is moved behind it and its comma. 0, or
 * -EINVAL and *problem. Ends at text[bytes].
 */
int expression_field_parse(const char *text, size_t bytes, size_t *at,
			   struct expression_field *out,
			   struct expression_problem *problem);

/* ---- What it is ---- */

struct expression_view {
	const uint64_t *registers; /* MACHINE_REGISTERS of them */
	uint64_t base;             /* of the probe's module */
	uint64_t (*tid)(void);     /* asked only if it is wanted */
	/* Copy memory; not 0: it cannot be read. */
	long (*read)(void *to, uint64_t from, size_t bytes);
};

/* Why there is no value. Numbers lie in recordings: append. */
enum expression_failure {
	EXPRESSION_IS_FINE,
	EXPRESSION_IS_UNREADABLE, /* memory */
	EXPRESSION_IS_DIVIDED,    /* by zero */
};

enum expression_failure expression_evaluate(const struct expression *expression,
					    const struct expression_view *view,
					    uint64_t *value);

/* Whether the value of an expression depends on no register but this one. */
int expression_needs_only(const struct expression *expression,
			  unsigned int number);

#endif
