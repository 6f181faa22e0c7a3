/* SPDX-License-Identifier: MIT */
/*
 * The variables that a program has in scope at an address: names, types, and where
 * their values are, as its debug information says.
 *
 * A worker (symbolizer/worker.h) reads it by libdwarf, which aborts and hangs on files
 * that were made to have it do so; the answer is data, and is checked. Only what is
 * asked for is answered: variables and members of the names that are given, and the
 * types on the way to them.
 */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLES_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

enum variable_type_kind {
	TYPE_IS_UNKNOWN,
	TYPE_IS_VOID,
	TYPE_IS_INTEGER, /* booleans, characters and enumerations are, too */
	TYPE_IS_FLOAT,
	TYPE_IS_POINTER,
	TYPE_IS_ARRAY,
	TYPE_IS_STRUCT, /* union, class */
	TYPE_IS_FUNCTION,
	VARIABLE_TYPE_KINDS
};

/* Without typedef, const and volatile. Texts are offsets, 0: there is none. */
struct variable_type {
	uint8_t kind; /* enum variable_type_kind */
	uint8_t is_signed;
	uint8_t is_character;
	uint8_t is_reference; /* a pointer that C++ follows unasked */
	uint8_t is_declared;  /* only: nobody says what is in it */
	uint32_t target;      /* of a pointer, array: a type */
	uint32_t name;        /* a text */
	uint32_t first_member, member_count;
	uint64_t bytes; /* 0: not known */
	uint64_t count; /* of an array; UINT64_MAX: not known */
};

struct variable_member {
	uint32_t name; /* 0: its members are those of what it is in */
	uint32_t type;
	uint32_t why;        /* a text: why it cannot be had */
	uint32_t bits;       /* of a bit-field */
	uint64_t offset;     /* in bytes; of a bit-field 0 */
	uint64_t bit_offset; /* of a bit-field, from the start */
};

/* Steps of a machine with a stack, whose result is an address or the value. */
enum variable_operation {
	VARIABLE_NUMBER,   /* push `number` */
	VARIABLE_ADDRESS,  /* push an address as the file has it */
	VARIABLE_REGISTER, /* push register `detail`, of DWARF's, and `number` */
	VARIABLE_ARGUMENT, /* push the register of argument `number` */
	/* A register, if it is the frame's: the function has to have set it up. */
	VARIABLE_FRAME,
	VARIABLE_CFA, /* push the canonical frame address */
	VARIABLE_DUPLICATE,
	VARIABLE_OVER,
	VARIABLE_PICK, /* push the one below `number` others */
	VARIABLE_DROP,
	VARIABLE_SWAP,
	VARIABLE_LOAD, /* `detail` bytes that lie there */
	VARIABLE_NEGATE,
	VARIABLE_INVERT,
	VARIABLE_PLUS, /* of two, the upper is the right one */
	VARIABLE_MINUS,
	VARIABLE_TIMES,
	VARIABLE_BY,
	VARIABLE_REST, /* unsigned */
	VARIABLE_AND,
	VARIABLE_OR,
	VARIABLE_XOR,
	VARIABLE_LEFT,
	VARIABLE_RIGHT, /* unsigned */
	VARIABLE_RIGHT_SIGNED,
	VARIABLE_SAME,
	VARIABLE_OTHER,
	VARIABLE_LESS,
	VARIABLE_LESS_OR_SAME,
	VARIABLE_MORE,
	VARIABLE_MORE_OR_SAME,
	VARIABLE_OPERATIONS
};

struct variable_step {
	uint8_t operation; /* enum variable_operation */
	uint8_t detail;
	uint64_t number;
};

enum variable_place {
	VARIABLE_IS_NOWHERE,   /* `why` says why */
	VARIABLE_IS_IN_MEMORY, /* at the address that the steps make */
	VARIABLE_IS_A_VALUE,   /* which they make */
	VARIABLE_PLACES
};

enum variable_kind {
	VARIABLE_IS_PARAMETER,
	VARIABLE_IS_LOCAL,
	VARIABLE_IS_GLOBAL,
	VARIABLE_KINDS
};

struct variable {
	uint32_t name;
	uint32_t type_text; /* as the program has it: "const struct node *" */
	uint32_t type;
	uint32_t function; /* whose it is, if that was inlined */
	uint32_t why;
	uint32_t first_step, step_count;
	uint8_t kind;     /* enum variable_kind */
	uint8_t place;    /* enum variable_place */
	uint8_t argument; /* 1...6: what argN is at the function's entry */
};

struct variables_header {
	uint32_t magic;
	uint32_t why;  /* a text: there is no answer */
	uint32_t note; /* a text: why something may be missing */
	uint32_t function;
	uint32_t is_entry;    /* the function's first instruction */
	uint32_t result_type; /* of the function, if has_result */
	uint32_t has_result;
	uint32_t variable_count, type_count, member_count, step_count;
	uint32_t unused;
	uint64_t text_bytes;
};

/* Innermost first, so the first of a name is the one that is meant. */
struct variables {
	struct variables_header header;
	const struct variable *list;
	const struct variable_type *types;
	const struct variable_member *members;
	const struct variable_step *steps;
	const char *texts; /* text 0 is "" */
	void *memory;
};

struct variables_request {
	const char *path; /* of an ELF file */
	uint64_t vaddr;
	/* What may be named; none: all variables but globals, and no members. */
	const char *const *names;
	size_t name_count;
	uint32_t seconds; /* of CPU; 0: as many as is usual */
};

/* 0, or -errno and *why. */
int variables_read(const struct variables_request *request,
		   struct variables *out, char **why);

/* What a worker has written: takes the bytes if it is an answer. 0 or -EBADMSG. */
int variables_take(struct variables *out, void *bytes, size_t size);
void variables_free(struct variables *variables);

static inline const char *variables_text(const struct variables *variables,
					 uint32_t text)
{
	return variables->texts + text;
}

#endif
