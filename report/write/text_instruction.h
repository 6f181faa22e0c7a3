/* SPDX-License-Identifier: MIT */
/* One instruction of an annotated function as text. */
#ifndef CLEW_WRITE_TEXT_INSTRUCTION_H
#define CLEW_WRITE_TEXT_INSTRUCTION_H

#include <stdio.h>

#include "report/code/annotation.h"
#include "report/code/jump_arrows.h"
#include "report/view/session.h"

struct instruction_text {
	struct session *session;
	const struct annotation *annotation;
	struct jump_arrows arrows;
	int is_utf8; /* draw lines with characters beyond ASCII */
};

/*
 * Returns the short name of a function, or its full name if the session has
 * full names; safe to print. The caller frees it.
 */
char *text_shown_name(const struct session *session, const char *name);

/*
 * Writes the name of the function or import to which the instruction refers
 * outside of the function, or the address of data. Writes nothing if it is
 * unknown.
 */
void text_instruction_target(const struct instruction_text *text, FILE *out,
			     size_t row);

/* Writes the instruction, and the text of text_instruction_target(). */
void text_instruction(const struct instruction_text *text, FILE *out,
		      size_t row);

/*
 * Writes the lines that connect jumps with their destinations, and a blank.
 * Writes nothing if the function has none.
 */
void text_instruction_arrows(const struct instruction_text *text, FILE *out,
			     size_t row);

/* Writes only the lines that pass by the row. */
void text_instruction_lines(const struct instruction_text *text, FILE *out,
			    size_t row);

#endif
