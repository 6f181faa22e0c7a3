/* SPDX-License-Identifier: MIT */
/*
 * The data structures of a space.
 *
 * There are two layers, code above mappings, and each is a set of claims (see
 * pieces.h). Generated code may lie in a mapping, even in that of an ELF file
 * (node announces builtins in its own text), so neither layer hides the other.
 * A later mapping or unmapping ends the code at its addresses, by a claim
 * without owner in the upper layer.
 *
 * Changes only append to these structures. A commit builds the lookup
 * structures from them, next to the old ones, and then replaces the old ones.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_SPACE_H
#define CLEW_SYMBOLIZER_SPACE_SPACE_H

#include <stdatomic.h>

#include "symbolizer/a2n.h"
#include "symbolizer/space/pieces.h"
#include "symbolizer/space/pool.h"

/* A piece of code; its id is one more than its index. */
struct code {
	uint64_t bytes;
	const struct pool_text *name; /* NULL: no name */
};

VECTOR(codes, struct code)

/* Code is placed at an address or removed. */
struct code_change {
	uint64_t time;
	uint64_t start;
	uint64_t order;
	uint32_t code;
	uint32_t is_gone;
};

VECTOR(changes, struct code_change)

struct code_line {
	uint64_t offset;
	const struct pool_text *file; /* NULL: unknown */
	uint32_t code;
	uint32_t order; /* among lines at one offset, the last counts */
	uint32_t line;
	uint32_t discriminator;
};

VECTOR(lines, struct code_line)

/* A mapped file. */
struct file {
	struct file *next; /* the file that was added before this one */
	const struct pool_text *path;
	struct a2n_build_id build_id;
	/*
	 * The first lookup opens it; if two do at once, they get the same
	 * module.
	 */
	_Atomic(const struct a2n_module *) module;
	_Atomic int error;
};

/* The owner of a claim in the layer of mappings. */
struct mapped {
	uint64_t file_offset;
	struct file *file; /* NULL: anonymous memory */
};

VECTOR(mappeds, struct mapped)

/* The structures that lookups use. */
struct committed {
	struct pieces codes; /* claims sorted by code, then by time */
	struct pieces mappings;
	uint32_t code_count;
	/*
	 * For each piece of code, the index of its first claim in `codes`. One
	 * more element contains the end of the last claims.
	 */
	uint32_t *first_claim;
	/*
	 * For each piece of code, the index of its first line. One more element
	 * contains the end of the last lines.
	 */
	uint32_t *first_line;
};

struct a2n_space {
	struct a2n *a2n;
	struct pool pool;
	uint64_t order; /* number of the last change */
	struct codes codes;
	struct changes changes;
	/* Ranges that were mapped or unmapped; no code owns them. */
	struct claims gaps;
	struct lines lines; /* committed ones are sorted */
	struct file *files; /* newest first */
	struct mappeds mappeds;
	struct claims mappings;
	struct committed committed;
};

/*
 * Ends all mappings but no code. For callers that see the present state but not
 * when it changed. Returns 0 or -ENOMEM.
 */
int space_clear_mappings(struct a2n_space *space, uint64_t time);

/* Adds a mapping without ending code. See a2n_space_map(). */
int space_map_below(struct a2n_space *space, const struct a2n_mapping *mapping,
		    uint64_t time);

#endif
