/* SPDX-License-Identifier: MIT */
/*
 * POSIX extended regular expressions, as regcomp(REG_EXTENDED | REG_NOSUB) and
 * regexec() of glibc have them in the locale "C", GNU's \w \W \s \S \b \B \< \>
 * \` \' included, but for back-references. They call nothing, take time in
 * proportion to text and expression, and no memory when they are matched.
 *
 * An expression becomes a program for a machine with many threads (Thompson,
 * "Regular expression search algorithm", 1968; Pike): ere_tree.c reads the one,
 * ere_program.c writes the other, ere.c runs it.
 *
 *	a(b|c)*		0 set a, 1 fork 2 7, 2 fork 3 5, 3 set b, 4 go 6,
 *			5 set c, 6 go 1, 7 match
 */
#ifndef CLEW_MATCH_ERE_H
#define CLEW_MATCH_ERE_H

#include <stddef.h>
#include <stdint.h>

#include "match/bracket.h"

#define ERE_DEPTH_MAX   200   /* of parentheses, inside of each other */
#define ERE_PROGRAM_MAX 65536 /* instructions */

enum ere_op {
	ERE_SET,    /* a byte of the set, then the next instruction */
	ERE_GO,     /* go on at x */
	ERE_FORK,   /* at x, and at y */
	ERE_ASSERT, /* the next, if the place in the text allows it */
	ERE_MATCH,
};

/* Of a place between two bytes of the text, or at an end. */
enum ere_place {
	ERE_AT_START = 1,
	ERE_AT_END = 2,
	ERE_AFTER_WORD = 4, /* a letter, a digit or _ is before it */
	ERE_BEFORE_WORD = 8,
};

struct ere_insn {
	uint8_t op;
	uint8_t must; /* ERE_ASSERT: places that there are */
	uint8_t must_not;
	uint32_t x; /* ERE_SET: number of the set */
	uint32_t y;
};

/* Threads, in the order in which they were added. */
struct ere_threads {
	uint32_t *list;
	uint32_t *where; /* in the list, by instruction, if it is there */
	uint32_t count;
};

struct ere {
	struct ere_insn *program;
	uint32_t count;
	struct byte_set *sets;
	struct byte_set first; /* what a match that is not empty begins with */
	int has_empty;         /* there may be empty ones */
	/* The machine's, while it runs. */
	struct ere_threads threads[2];
	uint32_t *stack;
};

typedef void *(*ere_alloc)(void *context, size_t bytes); /* zeroed, or NULL */

/*
 * 0, or -EINVAL, -E2BIG, -ENOMEM and a sentence in *why. Memory is asked for
 * and never given back.
 */
int ere_compile(struct ere *ere, const char *text, ere_alloc alloc,
		void *context, const char **why);

/* Whether something in the text matches. Not by two threads at once. */
int ere_matches(struct ere *ere, const char *text);

#endif
