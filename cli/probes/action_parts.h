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
	uint32_t
		/*
		 * Size of a bit-field, which begins at bit_offset behind the
		 * address; or 0.
		 */
		bits;
	uint64_t bit_offset;
};

const struct variable_type *action_type_of(const struct action_parser *r,
					   uint32_t type);
const char *action_type_name(const struct action_parser *r, uint32_t type);

/*
 * Returns a cast to a pointer that expression/ has. The cast determines whether
 * the value is a string.
 */
const char *action_pointer_to(const struct action_parser *r, uint32_t target);

/*
 * Stores the size of the element to which a pointer to `type` points. Returns 0
 * or -EINVAL.
 */
int action_element_bytes(struct action_parser *r, uint32_t type,
			 uint64_t *bytes);

/*
 * Set *out to a part of this kind with this text. A C++ reference is followed.
 */
void action_be_plain(struct rewritten *out, char *text);
void action_be_pointer(struct rewritten *out, uint32_t type, char *text);
int action_be_place(struct action_parser *r, struct rewritten *out,
		    uint32_t type, char *address);

/* Sets *out to a value of a type, in a register or computed. */
int action_be_value(struct action_parser *r, struct rewritten *out,
		    uint32_t number, const char *text);

/* Loads the value of a PART_IS_PLACE. Leaves other parts unchanged. */
int action_to_value(struct action_parser *r, struct rewritten *part);

/* Replaces a pointer by the object that it points to. */
int action_follow(struct action_parser *r, struct rewritten *part);

#endif
