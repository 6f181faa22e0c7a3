/* SPDX-License-Identifier: MIT */
/*
 * The variables in scope at an address: names, types, and the locations of
 * their values, from debug information.
 *
 * A worker (symbolizer/indexer/worker.h) uses libdwarf, which may abort or hang
 * on hostile files. The answer is data and is checked. The answer contains only
 * requested data: variables and members with the given names, and the types
 * that lead to them.
 */
#ifndef CLEW_SYMBOLIZER_VARIABLES_VARIABLES_H
#define CLEW_SYMBOLIZER_VARIABLES_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

enum variable_type_kind {
	TYPE_IS_UNKNOWN,
	TYPE_IS_VOID,
	TYPE_IS_INTEGER, /* also booleans, characters and enumerations */
	TYPE_IS_FLOAT,
	TYPE_IS_POINTER,
	TYPE_IS_ARRAY,
	TYPE_IS_STRUCT, /* or union, class */
	TYPE_IS_FUNCTION,
	VARIABLE_TYPE_KINDS
};

/* A type without typedef, const and volatile. Texts are offsets; 0: none. */
struct variable_type {
	uint8_t kind; /* enum variable_type_kind */
	uint8_t is_signed;
	uint8_t is_character;
	uint8_t is_reference; /* a C++ reference */
	uint8_t is_declared;  /* only declared: members are unknown */
	uint32_t target;      /* for a pointer or array: index of a type */
	uint32_t name;        /* a text */
	uint32_t first_member, member_count;
	uint64_t bytes; /* 0: unknown */
	uint64_t count; /* number of an array's elements; UINT64_MAX: unknown */
};

struct variable_member {
	uint32_t name; /* 0: its members belong to the enclosing type */
	uint32_t type;
	uint32_t why;    /* a text: why the member is not available; 0: it is */
	uint32_t bits;   /* size of a bit-field */
	uint64_t offset; /* in bytes; 0 for a bit-field */
	/* Distance of a bit-field from the start of the enclosing type. */
	uint64_t bit_offset;
};

/* Steps of a stack machine whose result is an address or the value. */
enum variable_operation {
	VARIABLE_NUMBER,   /* push `number` */
	VARIABLE_ADDRESS,  /* push an address of the file */
	VARIABLE_REGISTER, /* push DWARF register `detail` plus `number` */
	VARIABLE_ARGUMENT, /* push the register of argument `number` */
	/*
	 * Like VARIABLE_REGISTER, for the frame base: the function must have
	 * set it up.
	 */
	VARIABLE_FRAME,
	VARIABLE_CFA, /* push the canonical frame address */
	VARIABLE_DUPLICATE,
	VARIABLE_OVER,
	VARIABLE_PICK, /* push the item below `number` others */
	VARIABLE_DROP,
	VARIABLE_SWAP,
	VARIABLE_LOAD, /* replace an address by `detail` bytes from it */
	VARIABLE_NEGATE,
	VARIABLE_INVERT,
	VARIABLE_PLUS, /* the upper one is the right operand */
	VARIABLE_MINUS,
	VARIABLE_TIMES,
	VARIABLE_BY,
	VARIABLE_REST, /* the remainder of an unsigned division */
	VARIABLE_AND,
	VARIABLE_OR,
	VARIABLE_XOR,
	VARIABLE_LEFT,
	VARIABLE_RIGHT, /* logical shift */
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
	VARIABLE_IS_NOWHERE,   /* `why` has the reason */
	VARIABLE_IS_IN_MEMORY, /* the steps compute its address */
	VARIABLE_IS_A_VALUE,   /* the steps compute it */
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
	uint32_t type_text; /* as in the source: "const struct node *" */
	uint32_t type;
	/* a text: the inlined function to which it belongs; 0: none */
	uint32_t function;
	uint32_t why;
	uint32_t first_step, step_count;
	uint8_t kind;     /* enum variable_kind */
	uint8_t place;    /* enum variable_place */
	uint8_t argument; /* 1...6: equals argN at the function's entry */
};

struct variables_header {
	uint32_t magic;
	uint32_t why;  /* a text: why there is no answer */
	uint32_t note; /* a text: why data may be missing */
	uint32_t function;
	uint32_t is_entry; /* the address is the function's first instruction */
	uint32_t result_type; /* type of the function's result, if has_result */
	uint32_t has_result;
	uint32_t variable_count, type_count, member_count, step_count;
	uint32_t unused;
	uint64_t text_bytes;
};

/*
 * Variables are sorted innermost first, so the first one with a name is in
 * scope.
 */
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
	const char *path; /* path of an ELF file */
	uint64_t vaddr;
	/*
	 * Requested names; none: all variables except globals, without members.
	 */
	const char *const *names;
	size_t name_count;
	uint32_t seconds; /* limit of CPU time; 0: default */
};

/* Reads variables in a worker. Returns 0, or -errno and *why. */
int variables_read(const struct variables_request *request,
		   struct variables *out, char **why);

/*
 * Checks an answer that a worker has written, and takes the bytes over on
 * success. Returns 0 or -EBADMSG.
 */
int variables_take(struct variables *out, void *bytes, size_t size);
void variables_free(struct variables *variables);

static inline const char *variables_text(const struct variables *variables,
					 uint32_t text)
{
	return variables->texts + text;
}

#endif
