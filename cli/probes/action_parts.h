/* SPDX-License-Identifier: MIT */
/*
 * What a part of an action is worth: a number, a pointer to a type of the program's, or a
 * place in memory; and the text that says the same without types.
 *
 * Functions that return int give 0 or -EINVAL, with the parser's *why.
 */
#ifndef CLEW_CLI_PROBES_ACTION_PARTS_H
#define CLEW_CLI_PROBES_ACTION_PARTS_H

#include "cli/probes/action_parser.h"

/* What a part of the expression is. */
enum part_kind {
	PART_IS_PLAIN,   /* a value of expression/'s own types */
	PART_IS_POINTER, /* a value: the address of a `type` */
	PART_IS_PLACE,   /* a `type`, and the text is its address */
};

struct rewritten {
	enum part_kind kind;
	char *text;
	uint32_t type;
	uint32_t
		bits; /* a bit-field, which begins bit_offset behind the address */
	uint64_t bit_offset;
};

const struct variable_type *action_type_of(const struct action_parser *r,
					   uint32_t type);
const char *action_type_name(const struct action_parser *r, uint32_t type);

/* Cast to a pointer as expression/ can know it: strings are told by it. */
const char *action_pointer_to(const struct action_parser *r, uint32_t target);

/* How large an element is that a pointer to such a type points to. */
int action_element_bytes(struct action_parser *r, uint32_t type,
			 uint64_t *bytes);

/* What has that text is of such a kind. C++ follows references unasked. */
void action_be_plain(struct rewritten *out, char *text);
void action_be_pointer(struct rewritten *out, uint32_t type, char *text);
int action_be_place(struct action_parser *r, struct rewritten *out,
		    uint32_t type, char *address);

/* A value of a type, which is in a register or computed. */
int action_be_value(struct action_parser *r, struct rewritten *out,
		    uint32_t number, const char *text);

/* What lies at a place; else what it is already. */
int action_to_value(struct action_parser *r, struct rewritten *part);

/* What a value points to. */
int action_follow(struct action_parser *r, struct rewritten *part);

#endif
