/* SPDX-License-Identifier: MIT */
/*
 * The value of a part of an action: a number, a pointer to a type of the
 * program, or a location in memory; and an equivalent text without the
 * program's types.
 *
 * Functions that return int return 0, or -EINVAL and the parser's *why.
 */
#ifndef CLEW_CLI_PROBES_ACTION_PARTS_H
#define CLEW_CLI_PROBES_ACTION_PARTS_H

#include "cli/probes/action_parser.h"

/* Kinds of parts. */
enum part_kind {
	PART_IS_PLAIN,   /* A value of a type that expression/ has. */
	PART_IS_POINTER, /* The address of a `type`. */
	PART_IS_PLACE, /* An object of type `type`; the text is its address. */
};

struct rewritten {
	enum part_kind kind;
	char *text;
	uint32_t type;
	/*
	 * Number of bits of a bit-field, which begins bit_offset bits behind
	 * the address; or 0.
	 */
	uint32_t bits;
	uint64_t bit_offset;
};

const struct variable_type *action_type_of(const struct action_parser *r,
					   uint32_t type);
const char *action_type_name(const struct action_parser *r, uint32_t type);

/*
 * Returns the name of the type to which a pointer to the type `target` is cast:
 * "char *", whose values are strings by default, or "void *".
 */
const char *action_pointer_to(const struct action_parser *r, uint32_t target);

/*
 * Stores the size of the element to which a pointer to `type` points. Returns 0
 * or -EINVAL.
 */
int action_element_bytes(struct action_parser *r, uint32_t type,
			 uint64_t *bytes);

/*
 * Set *out to a part of this kind with this text. If the type of a place is a
 * C++ reference, action_be_place() sets *out to the object that it refers to.
 */
void action_be_plain(struct rewritten *out, char *text);
void action_be_pointer(struct rewritten *out, uint32_t type, char *text);
int action_be_place(struct action_parser *r, struct rewritten *out,
		    uint32_t type, char *address);

/*
 * Sets *out to a value of the type with this number. `text` is an expression
 * for the value, which is in a register or computed.
 */
int action_be_value(struct action_parser *r, struct rewritten *out,
		    uint32_t number, const char *text);

/* Loads the value of a PART_IS_PLACE. Leaves other parts unchanged. */
int action_to_value(struct action_parser *r, struct rewritten *part);

/* Replaces a pointer by the object that it points to. */
int action_follow(struct action_parser *r, struct rewritten *part);

#endif
