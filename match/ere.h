/* SPDX-License-Identifier: MIT */
/*
 * POSIX extended regular expressions, as regcomp(REG_EXTENDED | REG_NOSUB) and
 * regexec() of glibc in the locale "C", with GNU's \w \W \s \S \b \B \< \> \`
 * \', but without back-references. Compiling and matching call no functions of
 * libc. Matching allocates nothing, and takes at most as many steps as the
 * program has instructions for each byte of the text.
 *
 * An expression is compiled to a program for a machine with many threads
 * (Thompson, "Regular expression search algorithm", 1968; Pike): ere_tree.c
 * parses the expression, ere_program.c writes the program, ere.c runs it.
 *
 *	a(b|c)*		0 set a, 1 fork 2 7, 2 fork 3 5, 3 set b, 4 go 6,
 *			5 set c, 6 go 1, 7 match
 */
#ifndef CLEW_MATCH_ERE_H
#define CLEW_MATCH_ERE_H

#include <stddef.h>
#include <stdint.h>

#include "match/bracket.h"

#define ERE_DEPTH_MAX   200   /* maximum depth of nested parentheses */
#define ERE_PROGRAM_MAX 65536 /* maximum number of instructions */

enum ere_op {
	ERE_SET,    /* read a byte of the set; continue */
	ERE_GO,     /* continue at x */
	ERE_FORK,   /* continue at x and at y */
	ERE_ASSERT, /* continue, if the position in the text allows it */
	ERE_MATCH,
};

/* Properties of a position between two bytes, or at an end. */
enum ere_place {
	ERE_AT_START = 1,
	ERE_AT_END = 2,
	ERE_AFTER_WORD = 4, /* a letter, a digit or _ precedes */
	ERE_BEFORE_WORD = 8,
};

struct ere_insn {
	uint8_t op;
	uint8_t must; /* for ERE_ASSERT: required properties of the position */
	uint8_t must_not;
	uint32_t x; /* for ERE_SET: number of the set */
	uint32_t y;
};

/* The threads of the machine, in the order in which they were added. */
struct ere_threads {
	uint32_t *list;
	uint32_t *where; /* position in `list` of each instruction's thread */
	uint32_t count;
};

struct ere {
	struct ere_insn *program;
	uint32_t count;
	struct byte_set *sets;
	struct byte_set first; /* bytes with which a nonempty match begins */
	int has_empty;         /* whether a match may be empty */
	/* Used during a match. */
	struct ere_threads threads[2];
	uint32_t *stack;
};

/* returns zeroed memory, or NULL */
typedef void *(*ere_alloc)(void *context, size_t bytes);

/*
 * Compiles an expression, in memory from `alloc`. Returns 0, or -EINVAL,
 * -E2BIG, -ENOMEM and an error message in *why. Never frees memory: the caller
 * frees all that `alloc` has returned.
 */
int ere_compile(struct ere *ere, const char *text, ere_alloc alloc,
		void *context, const char **why);

/*
 * Returns whether some part of the text matches. Only one thread at a time may
 * use an `ere`.
 */
int ere_matches(struct ere *ere, const char *text);

#endif
