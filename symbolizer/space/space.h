/* SPDX-License-Identifier: MIT */
/*
 * What a space is made of.
 *
 * There are two layers, code above mappings, each a set of claims (see
 * pieces.h). Generated code may lie in a mapping, even in that of an ELF file
 * (node announces the builtins in its own text), so one does not hide the
 * other. But what is mapped or unmapped later takes the addresses away from
 * code that was there, by a claim of nobody in the upper layer.
 *
 * Changes only append to what is here. The commit makes of it the structures
 * that are looked into, beside the old ones, and then replaces these.
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
	const struct pool_text *name; /* NULL: it has none */
};

VECTOR(codes, struct code)

/* Code is placed somewhere, or is gone. */
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
	uint32_t order; /* of lines at one offset the last one counts */
	uint32_t line;
	uint32_t discriminator;
};

VECTOR(lines, struct code_line)

/* A file that is mapped. */
struct file {
	struct file *next; /* the one before it in time */
	const struct pool_text *path;
	struct a2n_build_id build_id;
	/* Whoever looks first opens it; if two do, they find the same. */
	_Atomic(const struct a2n_module *) module;
	_Atomic int error;
};

/* The owner of a claim in the layer of mappings. */
struct mapped {
	uint64_t file_offset;
	struct file *file; /* NULL: memory of no file */
};

VECTOR(mappeds, struct mapped)

/* What look-ups see. */
struct committed {
	struct pieces codes; /* claims in order of code, then of time */
	struct pieces mappings;
	uint32_t code_count;
	uint32_t *first_stay; /* of each code, in codes.claims; and the end */
	uint32_t *first_line; /* of each code, in lines; and the end */
};

struct a2n_space {
	struct a2n *a2n;
	struct pool pool;
	uint64_t order; /* of the last change */
	struct codes codes;
	struct changes changes;
	struct claims gaps; /* of nobody, in the layer of code */
	struct lines lines; /* what is committed is sorted */
	struct file *files; /* the newest first */
	struct mappeds mappeds;
	struct claims mappings;
	struct committed committed;
};

/*
 * Takes a range away from whatever is mapped there, not from code: for one who
 * sees what is there now, but not when it changed. 0, -ENOMEM.
 */
int space_clear_mappings(struct a2n_space *space, uint64_t time);

/* Maps likewise, below all code. See a2n_space_map(). */
int space_map_below(struct a2n_space *space, const struct a2n_mapping *mapping,
		    uint64_t time);

#endif
