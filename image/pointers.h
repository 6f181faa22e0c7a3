/* SPDX-License-Identifier: MIT */
/*
 * Addresses of code in data: function pointers, computed gotos, and the tables
 * of switch statements. Jumps through them show no target in the code.
 *
 *	relocations	in position-independent modules: words to which the
 *			loader adds the load bias
 *	words		in other modules, which need no relocation: any that
 *			could be an address of code
 *	jump tables	lea table(%rip), then 32-bit distances from the table
 */
#ifndef CLEW_IMAGE_POINTERS_H
#define CLEW_IMAGE_POINTERS_H

#include "image/image.h"

typedef void (*pointer_visit)(void *context, uint64_t vaddr);

/*
 * Visits the addresses that the loader stores by relocations and, in modules at
 * a fixed address, all aligned words of loaded segments without code. The
 * addresses may lie anywhere.
 */
void pointers_walk(const struct image *image, pointer_visit visit,
		   void *context);

/*
 * Visits the targets, in this module, of calls through the procedure linkage
 * table; they may be assembly symbols without a type.
 */
void pointers_walk_linked_calls(const struct image *image, pointer_visit visit,
				void *context);

/* A word in data in which the loader stores the address of a symbol. */
struct named_pointer {
	const char *name; /* name of the symbol, or "" if it exceeds 63 bytes */
	uint64_t slot_vaddr; /* address of the word */
	/* The symbol's address if this module defines it, or 0. */
	uint64_t vaddr;
	/* whether the word is part of the PLT or GOT, and so used for calls */
	uint8_t is_linked;
};

typedef void (*named_visit)(void *context, const struct named_pointer *pointer);

/* Visits the words in which the loader stores addresses of symbols. */
void pointers_walk_named(const struct image *image, named_visit visit,
			 void *context);

/*
 * Called for each entry, with the address to which it leads. Returns 0 to end
 * the walk, if this address shows that the entry is no longer part of the
 * table.
 */
typedef int (*table_visit)(void *context, uint64_t vaddr);

/* Visit the entries of a possible jump table at vaddr. */
void pointers_walk_distances(const struct image *image, uint64_t vaddr,
			     table_visit visit, void *context);
void pointers_walk_addresses(const struct image *image, uint64_t vaddr,
			     table_visit visit, void *context);

#endif
