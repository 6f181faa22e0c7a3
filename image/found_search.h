/* SPDX-License-Identifier: MIT */
/*
 * The parts of the search for functions without metadata (found.h):
 * found_space.c stores the data for each byte, found_follow.c follows code, and
 * found.c selects the starts.
 */
#ifndef CLEW_IMAGE_FOUND_SEARCH_H
#define CLEW_IMAGE_FOUND_SEARCH_H

#include <errno.h>
#include <string.h>

#include "disasm/stack.h"
#include "image/bare.h"
#include "image/functions.h"

#define FOUND_NOBODY 0

/* The data for a byte of code. */
struct found_place {
	/*
	 * Number of the function that was followed here, from 1; or
	 * FOUND_NOBODY.
	 */
	uint32_t owner;
	/*
	 * struct stack's members before this byte, in words; or UNKNOWN_WORDS
	 */
	int16_t height;
	int16_t frame;
	/* a function that this search has found starts here */
	uint8_t is_start;
	/*
	 * Code starts here, and the instruction before the preceding padding,
	 * if there is any, does not continue after itself.
	 */
	uint8_t is_boundary;
	uint8_t is_pointed;
	uint8_t is_relocated; /* the loader relocates a word that points here */
	uint8_t is_label;     /* an entry of a jump table leads here */
	/*
	 * Set only for starts of functions: other code jumps here or continues
	 * here, and the stack pointer then has, or may have, another value than
	 * directly after a call.
	 */
	uint8_t is_midway;
};

/* A contiguous range of code without known functions, including padding. */
struct region {
	uint64_t vaddr, end;
	const uint8_t *code;
	struct found_place *places;
};

struct one {
	uint64_t vaddr;
	/* enum verdict; VERDICT_IS_UNKNOWN if the function passes the test */
	uint8_t verdict;
	uint8_t has_switch; /* the function jumps indirectly */
	uint8_t has_table;  /* the function takes the address of a table */
	struct stack at_switch;
};

/* A jump that leaves the stack as a tail call does. */
struct jump {
	uint32_t from;
	uint64_t to;
};

struct step {
	uint64_t vaddr;
	struct stack stack;
};

/* A step of a function, postponed until all starts are known. */
struct held {
	uint32_t owner;
	struct step step;
};

/* An array that doubles its size, in an arena. */
struct pile {
	unsigned char *items;
	size_t count, room;
};

struct found_search {
	const struct image *image;
	const struct decoder *decoder;
	const struct functions *known;
	struct arena *arena;
	struct pile regions; /* array of struct region */
	/* array of struct one; the first element has number 1 */
	struct pile found;
	/* array of struct step: the steps that are still to be followed */
	struct pile steps;
	/* array of the struct found_place that the current function owns */
	struct pile log;
	struct pile jumps; /* array of struct jump */
	/* array of struct held: the steps after calls that may not return */
	struct pile returns;
	uint32_t current;
	/*
	 * Maximum number of further entries of jump tables. This limit keeps
	 * the time linear.
	 */
	uint64_t entries_left;
	int err;
};

/* Adds an item to an array. Returns the item, or NULL. */
void *found_pile_add(struct found_search *s, struct pile *pile, size_t bytes);

/*
 * found_region_at() and found_place_at() return NULL if no region contains
 * vaddr.
 */
struct region *found_region_at(const struct found_search *s, uint64_t vaddr);
struct found_place *found_place_at(const struct found_search *s,
				   uint64_t vaddr);

struct one *found_one_of(const struct found_search *s, uint32_t number);

/*
 * Adds a function that starts at vaddr, unless it was added before, or vaddr is
 * outside all regions.
 */
void found_add_function(struct found_search *s, uint64_t vaddr);

/*
 * Returns whether the instruction is a nop, an int3, or a zero; *insn has its
 * length.
 */
int found_is_padding(const struct found_search *s, const uint8_t *code,
		     uint64_t left, struct insn *insn);

/* Allocates s->regions and marks their boundaries; sets s->err. */
void found_open(struct found_search *s, const struct bare *bare);

/*
 * Notes the function that an instruction calls directly, the address that it
 * takes, or the entries of the table of addresses that it uses.
 */
void found_note_insn(struct found_search *s, const uint8_t *code,
		     const struct insn *insn, uint64_t next_vaddr);
void found_note_pointer(struct found_search *s, uint64_t vaddr);

/*
 * Follows the code of function `number`, and decides whether it passes the
 * test.
 */
void found_examine(struct found_search *s, uint32_t number);

/*
 * found_push_step() adds a step of the function s->current, and
 * found_follow_all() follows all steps.
 */
void found_push_step(struct found_search *s, uint64_t vaddr,
		     struct stack stack);
void found_follow_all(struct found_search *s);

#endif
