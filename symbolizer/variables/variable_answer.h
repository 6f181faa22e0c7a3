/* SPDX-License-Identifier: MIT */
/* An answer (variables.h) under construction, in a worker. */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLE_ANSWER_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLE_ANSWER_H

#include "symbolizer/variables/variables.h"

#define VARIABLE_ANSWER_MAGIC UINT32_C(0x56574c43)

struct variable_answer {
	struct variables_header header;
	struct variable *list;
	struct variable_type *types;
	struct variable_member *members;
	struct variable_step *steps;
	char *texts;
	size_t list_room, type_room, member_room, step_room, text_room;
};

/*
 * variable_answer_begin() begins an empty answer. The other functions add an
 * item of zeros each; their pointers are valid until the next call.
 */
void variable_answer_begin(struct variable_answer *answer);
struct variable *variable_answer_variable(struct variable_answer *answer);
uint32_t variable_answer_type(struct variable_answer *answer);
struct variable_member *variable_answer_member(struct variable_answer *answer);
struct variable_step *variable_answer_step(struct variable_answer *answer);

/*
 * Adds a text. Returns its offset; 0 for NULL and "", or if there is no room.
 */
uint32_t variable_answer_text(struct variable_answer *answer, const char *text);

/* Writes the answer to fd. Returns 0 or -errno. */
int variable_answer_write(const struct variable_answer *answer, int fd);

#endif
