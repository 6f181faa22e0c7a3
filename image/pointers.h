/* SPDX-License-Identifier: MIT */
/*
 * Addresses of code that lie in data: function pointers, computed gotos, and
 * the tables behind switch statements. Whoever jumps by them leaves no trace in
 * the code.
 *
 *	relocations	of position-independent modules: what the loader adds
 *			the load bias to
 *	words		of others, which need no relocation: any that could be
 *			an address of code
 *	jump tables	lea table(%rip), then 32-bit distances from the table
 */
#ifndef CLEW_IMAGE_POINTERS_H
#define CLEW_IMAGE_POINTERS_H

#include "image/image.h"

typedef void (*pointer_visit)(void *context, uint64_t vaddr);

/* Visit what relocations and words point to, in the code and elsewhere. */
void pointers_walk(const struct image *image, pointer_visit visit,
		   void *context);

/*
 * Visit what calls by way of the procedure linkage table lead to in this very
 * module, which may be a symbol of assembly that has no type.
 */
void pointers_walk_linked_calls(const struct image *image, pointer_visit visit,
				void *context);

/* A word in data that the loader fills with the address of a symbol. */
struct named_pointer {
	const char *name;    /* "" if it has more than 63 bytes */
	uint64_t slot_vaddr; /* of the word */
	uint64_t vaddr;      /* of the symbol if this module defines it, or 0 */
	uint8_t is_linked;   /* of the PLT or GOT: code calls by it */
};

typedef void (*named_visit)(void *context, const struct named_pointer *pointer);

/* Visits the words that the loader fills with addresses of symbols. */
void pointers_walk_named(const struct image *image, named_visit visit,
			 void *context);

/* 0 when the table has ended: vaddr is no address of its function's. */
typedef int (*table_visit)(void *context, uint64_t vaddr);

/* Entries of the jump table at vaddr, if it is one. */
void pointers_walk_distances(const struct image *image, uint64_t vaddr,
			     table_visit visit, void *context);
void pointers_walk_addresses(const struct image *image, uint64_t vaddr,
			     table_visit visit, void *context);

#endif
