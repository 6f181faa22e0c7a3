/* SPDX-License-Identifier: MIT */
/*
 * An index: all data about the code of one module, in one file.
 *
 * An index is written once, mapped, and never changed. Three ideas make it
 * small and fast (257 MB of DWARF of libjvm.so become about 25 MB).
 *
 * *Rows.* Code is cut into disjoint pieces, each with one source line and one
 * chain of inlined calls. A row has {start, file, line, column, discriminator,
 * chain}. A row ends where the next one begins, and a row without file and
 * chain is a gap. Rows are coded as differences to the previous row, in blocks
 * of ROWS_PER_BLOCK. A lookup searches the first addresses of the blocks and
 * decodes one block.
 *
 *	block_starts[]  |0x1000|0x1388|0x1a04| ...        4 bytes each, sorted
 *	block_offsets[] |     0|   211|   467| ...        into row_bytes
 *	row_bytes       |row row row ...|row row ...|
 *
 * *Chains.* A node is an inlined call, or a function that was not inlined. The
 * nodes form trees with functions as roots. A node is identified by its
 * position in node_bytes, and its parent precedes it.
 *
 *	root:     varint 0, varint name
 *	inlined:  varint (own position - parent's), varint name,
 *	          varint call file, call line, call column, call discriminator
 *
 * Position 0 is no node; the byte there is 0.
 *
 * *Names.* Each symbol is stored once, with its demangled form, so no reader
 * needs a demangler. A text is identified by its position in INDEX_TEXT and
 * followed by a 0; position 0 means "none", and the last byte is 0. A name is
 * an index into INDEX_NAMES, whose items have both forms. A file is an index
 * into INDEX_FILES, which has full paths; 0 means none. Both tables contain the
 * lengths, so a lookup does not read the texts.
 *
 * A row is coded as one byte of flags, followed by these fields in this order.
 *
 *	bits 0-3: difference of address to the previous row; 0: it is a varint
 *	ROW_FILE, ROW_CHAIN: zigzag varint of the difference; else unchanged
 *	ROW_COLUMN: varint; else unchanged
 *	ROW_DISCRIMINATOR: varint; else it is 0
 *	line: zigzag varint of the difference, always
 *
 * The first row of a block is relative to {block_start, all zero}.
 *
 * All addresses are 32-bit differences to `base`. Integers are little-endian.
 * The checksum covers all bytes after the header and the header's own fields.
 * A file with a wrong checksum is created again. Readers check all bounds, so a
 * forged file causes wrong answers but no crash.
 */
#ifndef CLEW_SYMBOLIZER_INDEX_FORMAT_H
#define CLEW_SYMBOLIZER_INDEX_FORMAT_H

#include <stdint.h>

#define INDEX_MAGIC   UINT64_C(0x0a6e32612d77656c) /* "lew-a2n\n" */
#define INDEX_VERSION 9

enum {
	ROWS_PER_BLOCK = 16,
	ROW_DELTA_MASK = 15,
	ROW_FILE = 16,
	ROW_CHAIN = 32,
	ROW_COLUMN = 64,
	ROW_DISCRIMINATOR = 128,
};

/* Sections are 8-byte aligned in the file and followed by some zero bytes. */
enum index_section {
	INDEX_SEGMENTS,      /* struct index_segment */
	INDEX_SYMBOL_STARTS, /* u32, sorted; starts of disjoint pieces */
	INDEX_SYMBOLS,       /* struct index_symbol, in the same order */
	INDEX_BLOCK_STARTS,  /* u32, sorted */
	INDEX_BLOCK_OFFSETS, /* array of u32, offsets in row_bytes */
	INDEX_ROW_BYTES,
	INDEX_NODE_BYTES,
	INDEX_NAMES, /* array of struct index_name; index 0 stands for none */
	INDEX_FILES, /* array of struct index_string; index 0 stands for none */
	INDEX_TEXT,  /* the bytes of all texts */
	INDEX_MERGED, /* struct index_merged, in order of entry */
	/*
	 * array of struct index_source, the files that were searched for data
	 */
	INDEX_SOURCES,
	INDEX_SECTIONS,
};

/* The location of loaded bytes in the file. */
struct index_segment {
	uint64_t file_offset;
	uint64_t bytes;
	uint64_t vaddr;
};

/* A piece of a symbol: other symbols may lie inside it and cut it. */
struct index_symbol {
	uint32_t bytes; /* size of this piece */
	uint32_t entry; /* start of the whole symbol, relative to base */
	uint32_t name;
	uint32_t pad;
};

/*
 * Another function whose code was merged with that of the symbol at `entry`.
 * There are at most MERGED_NAMES_MAX for one entry.
 */
struct index_merged {
	uint32_t entry; /* start of the whole symbol, relative to base */
	uint32_t name;
	uint32_t count; /* total number of merged functions with this entry */
	uint32_t pad;
};

#define MERGED_NAMES_MAX 16

struct index_string {
	uint32_t at; /* position in INDEX_TEXT */
	uint32_t bytes;
};

struct index_name {
	struct index_string symbol;
	struct index_string pretty;
};

/*
 * A file that was searched for. The index is outdated when one of these files
 * changes, appears or disappears.
 */
struct index_source {
	uint32_t path;     /* position of the path in INDEX_TEXT */
	uint32_t role;     /* enum index_role */
	uint64_t bytes;    /* size of the file; ~0: the file did not exist */
	uint64_t mtime_ns; /* time of the last change; 0: it did not exist */
};

enum index_role {
	SOURCE_LOOKED_AT, /* the file was absent, or provided no data */
	SOURCE_MODULE,
	SOURCE_SYMBOLS = 2, /* the file provided symbols */
	SOURCE_DEBUG = 4,   /* the file provided lines and inlined calls */
};

enum index_flag {
	/* debuginfod was not asked, or failed, and may have missing data */
	INDEX_WANTS_DOWNLOAD = 1,
	/* a missing file may lie next to another copy of the module */
	INDEX_WANTS_NEIGHBOUR = 2,
};

struct index_extent {
	uint64_t offset; /* offset of the items in the file */
	uint64_t count;  /* number of items */
};

struct index_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes;
	uint64_t file_bytes;
	uint64_t checksum; /* checksum of the file, with this field set to 0 */
	uint64_t base;     /* is added to all 32-bit addresses */
	uint64_t limit;    /* first address after all code */
	uint64_t row_count;
	uint32_t build_id_bytes;
	uint8_t build_id[32];
	/*
	 * position of the reason why data is missing; 0 if all data was found
	 */
	uint32_t reason;
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
