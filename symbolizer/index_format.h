/* SPDX-License-Identifier: MIT */
/*
 * An index: what is known about all code of one module, in one file.
 *
 * It is written once, mapped, and never changed. Three ideas make it small
 * and quick (libjvm.so: 257 MB of DWARF become some 25 MB):
 *
 * *Rows.* Code is cut into disjoint pieces, each of one source line and one
 * chain of inlined calls. A row says {where it begins, file, line, column,
 * discriminator, chain}; it ends where the next begins, and a row without file
 * and chain is a gap. Rows are coded as differences to the row before, in
 * blocks of ROWS_PER_BLOCK: a look-up searches the blocks' first addresses and
 * decodes one block.
 *
 *	block_starts[]  |0x1000|0x1388|0x1a04| ...        4 bytes each, sorted
 *	block_offsets[] |     0|   211|   467| ...        into row_bytes
 *	row_bytes       |row row row ...|row row ...|
 *
 * *Chains.* A node is one call that was inlined, or a function that was not: a
 * tree with functions as roots. A node is named by where it is in node_bytes,
 * and its parent stands before it:
 *
 *	root:     varint 0, varint name
 *	inlined:  varint (own position - parent's), varint name,
 *	          varint call file, call line, call column, call discriminator
 *
 * Position 0 is no node: the bytes there are a lone 0.
 *
 * *Names.* Each symbol is stored once, with its demangled form, so that no
 * reader ever runs a demangler. A text is named by its position in INDEX_TEXT,
 * where a 0 follows it; position 0 is "none", and the last byte is 0. A name is
 * an index into INDEX_NAMES, whose items have both forms; a file is an index
 * into INDEX_FILES, of full paths; 0 is none. Both tables know the lengths, so
 * that a look-up does not touch the texts.
 *
 * A row is coded as one byte of flags and what they announce, in this order:
 *
 *	bits 0-3: difference of address to the row before; 0: it is a varint
 *	ROW_FILE, ROW_CHAIN: zigzag varint of the difference; else as before
 *	ROW_COLUMN: varint; else as before
 *	ROW_DISCRIMINATOR: varint; else it is 0
 *	line: zigzag varint of the difference, always
 *
 * The first row of a block is relative to {block_start, all zero}.
 *
 * All addresses are 32-bit differences to `base`. Integers are little-endian.
 * The checksum covers everything behind the header, and the header's own
 * fields; a file that fails it is built again. Readers check all bounds as
 * they go, so that a file that was forged costs nonsense, not a crash.
 */
#ifndef CLEW_SYMBOLIZER_INDEX_FORMAT_H
#define CLEW_SYMBOLIZER_INDEX_FORMAT_H

#include <stdint.h>

#define INDEX_MAGIC   UINT64_C(0x0a6e32612d77656c) /* "lew-a2n\n" */
#define INDEX_VERSION 6

enum {
	ROWS_PER_BLOCK = 16,
	ROW_DELTA_MASK = 15,
	ROW_FILE = 16,
	ROW_CHAIN = 32,
	ROW_COLUMN = 64,
	ROW_DISCRIMINATOR = 128,
};

/* Each is 8-byte aligned in the file; behind its bytes are some zeroes. */
enum index_section {
	INDEX_SEGMENTS,      /* struct index_segment */
	INDEX_SYMBOL_STARTS, /* u32, sorted; of disjoint pieces */
	INDEX_SYMBOLS,       /* struct index_symbol, in the same order */
	INDEX_BLOCK_STARTS,  /* u32, sorted */
	INDEX_BLOCK_OFFSETS, /* u32 */
	INDEX_ROW_BYTES,
	INDEX_NODE_BYTES,
	INDEX_NAMES,   /* struct index_name; 0 is none */
	INDEX_FILES,   /* struct index_string; [0] is none */
	INDEX_TEXT,    /* bytes */
	INDEX_MERGED,  /* struct index_merged, in order of entry */
	INDEX_SOURCES, /* struct index_source: what all this came from */
	INDEX_SECTIONS,
};

/* Where loaded bytes are in the file. */
struct index_segment {
	uint64_t file_offset;
	uint64_t bytes;
	uint64_t vaddr;
};

/* A piece of a symbol: others may lie inside it and cut it. */
struct index_symbol {
	uint32_t bytes; /* of this piece */
	uint32_t entry; /* the symbol's own start, as difference to base */
	uint32_t name;
	uint32_t pad;
};

/*
 * Another function whose code was merged with that of the symbol at `entry`. Of one entry
 * there are MERGED_NAMES_MAX at most.
 */
struct index_merged {
	uint32_t entry; /* as index_symbol has it */
	uint32_t name;
	uint32_t count; /* of all that there are, these included */
	uint32_t pad;
};

#define MERGED_NAMES_MAX 16

struct index_string {
	uint32_t at; /* text */
	uint32_t bytes;
};

struct index_name {
	struct index_string symbol;
	struct index_string pretty;
};

/*
 * A file that was looked for. When one of them is not what it was, appears or
 * goes, the index is out of date.
 */
struct index_source {
	uint32_t path;     /* text */
	uint32_t role;     /* enum index_role */
	uint64_t bytes;    /* ~0: it was not there */
	uint64_t mtime_ns; /* 0: of no importance */
};

enum index_role {
	SOURCE_LOOKED_AT, /* and found to be of no use, or absent */
	SOURCE_MODULE,
	SOURCE_SYMBOLS = 2, /* symbols came from here */
	SOURCE_DEBUG = 4,   /* lines and inlined calls did */
};

enum index_flag {
	/* debuginfod may have what is missing, and has not said so */
	INDEX_WANTS_DOWNLOAD = 1,
	/* a file is missing that may stand beside another copy of the module */
	INDEX_WANTS_NEIGHBOUR = 2,
};

struct index_extent {
	uint64_t offset; /* in the file */
	uint64_t count;  /* of items */
};

struct index_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes;
	uint64_t file_bytes;
	uint64_t checksum; /* of the whole file with this field 0 */
	uint64_t base;     /* of all 32-bit addresses */
	uint64_t limit;    /* first address behind all code */
	uint64_t row_count;
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	uint32_t reason; /* text: what is missing and why; 0: nothing is */
	uint32_t flags;
	uint32_t pad;
	struct index_extent sections[INDEX_SECTIONS];
};

_Static_assert(sizeof(struct index_segment) == 24, "in files");
_Static_assert(sizeof(struct index_symbol) == 16, "in files");
_Static_assert(sizeof(struct index_merged) == 16, "in files");
_Static_assert(sizeof(struct index_source) == 24, "in files");
_Static_assert(sizeof(struct index_header) == 104 + 16 * INDEX_SECTIONS,
	       "in files");

#endif
