/* SPDX-License-Identifier: MIT */
/*
 * The search for functions that nothing tells of (found.h), between its parts:
 * found_space.c has what is known of each byte, found_follow.c follows code, and
 * found.c says where from.
 */
#ifndef CLEW_IMAGE_FOUND_SEARCH_H
#define CLEW_IMAGE_FOUND_SEARCH_H

#include <errno.h>
#include <string.h>

#include "disasm/stack.h"
#include "image/bare.h"
#include "image/functions.h"

#define FOUND_NOBODY 0

/* What is known of a byte of code. */
struct found_place {
	uint32_t
		owner; /* function that was followed here, from 1; or FOUND_NOBODY */
	int16_t height; /* of the stack, in words; UNKNOWN_WORDS */
	int16_t frame;
	uint8_t is_start;    /* of a function */
	uint8_t is_boundary; /* flow ends before it, but for padding */
	uint8_t is_pointed;
	uint8_t is_relocated; /* pointed to by what the loader relocates */
	uint8_t is_label;     /* of a jump table */
	uint8_t is_midway;    /* somebody comes here with a frame of his own */
};

/* A contiguous part of the code without known functions, padding included. */
struct region {
	uint64_t vaddr, end;
	const uint8_t *code;
	struct found_place *places;
};

struct one {
	uint64_t vaddr;
	uint8_t verdict;    /* enum verdict; UNKNOWN: it stands the test */
	uint8_t has_switch; /* it jumps indirectly, */
	uint8_t has_table;  /* and takes the address of something */
	struct stack at_switch;
};

/* One that leaves the stack as a tail call does. */
struct jump {
	uint32_t from;
	uint64_t to;
};

struct step {
	uint64_t vaddr;
	struct stack stack;
};

/* A step of a function that is taken when all starts are known. */
struct held {
	uint32_t owner;
	struct step step;
};

/* Grows by doubling, in an arena. */
struct pile {
	unsigned char *items;
	size_t count, room;
};

struct found_search {
	const struct image *image;
	const struct decoder *decoder;
	const struct functions *known;
	struct arena *arena;
	struct pile regions; /* struct region */
	struct pile found;   /* struct one; number 1 is the first */
	struct pile steps;   /* struct step, still to be followed */
	struct pile log;     /* places that the current one owns */
	struct pile jumps;   /* struct jump */
	struct pile returns; /* struct held: from calls that may not return */
	uint32_t current;
	uint64_t entries_left; /* of jump tables: time is linear */
	int err;
};

/* One item more, or NULL. */
void *found_pile_add(struct found_search *s, struct pile *pile, size_t bytes);

/* NULL where no such code is. */
struct region *found_region_at(const struct found_search *s, uint64_t vaddr);
struct found_place *found_place_at(const struct found_search *s,
				   uint64_t vaddr);

struct one *found_one_of(const struct found_search *s, uint32_t number);

/* Something that is called: a function, whatever it does. */
void found_add_function(struct found_search *s, uint64_t vaddr);

/* A nop, an int3, or a zero: *insn says how long. */
int found_is_padding(const struct found_search *s, const uint8_t *code,
		     uint64_t left, struct insn *insn);

/* Give s->regions their memory, and mark their boundaries; s->err. */
void found_open(struct found_search *s, const struct bare *bare);

/* What an instruction tells of functions elsewhere. */
void found_note_insn(struct found_search *s, const uint8_t *code,
		     const struct insn *insn, uint64_t next_vaddr);
void found_note_pointer(struct found_search *s, uint64_t vaddr);

/* Follow the code of function `number`: whether it stands the test. */
void found_examine(struct found_search *s, uint32_t number);

/* A step of s->current, and all that are left. */
void found_push_step(struct found_search *s, uint64_t vaddr,
		     struct stack stack);
void found_follow_all(struct found_search *s);

#endif
