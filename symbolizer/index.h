/* SPDX-License-Identifier: MIT */
/* Reading an index: see index_format.h. */
#ifndef CLEW_SYMBOLIZER_INDEX_H
#define CLEW_SYMBOLIZER_INDEX_H

#include "base/cursor.h"
#include "symbolizer/a2n.h"
#include "symbolizer/index_format.h"

struct index {
	const uint8_t *bytes;
	size_t size;
	const struct index_header *header;
	const struct index_segment *segments;
	const uint32_t *symbol_starts;
	const struct index_symbol *symbols;
	const uint32_t *block_starts;
	const uint32_t *block_offsets;
	const struct index_name *names;
	const struct index_string *files;
	const struct index_merged *merged;
	const struct index_source *sources;
	size_t merged_count;
	size_t segment_count, symbol_count, block_count, name_count, file_count,
		source_count;
	uint64_t row_count;
	const char *reason; /* why data is missing, or NULL */
	struct span row_bytes, node_bytes, text;
};

/*
 * Maps the index in the file fd, which the caller may close afterwards. Returns
 * 0, and the caller calls index_close(); -EBADMSG if it is no complete index of
 * this version; or another -errno.
 */
int index_open(struct index *index, int fd);
void index_close(struct index *index);

/* Returns the text at a position; "" for 0 and for invalid positions. */
const char *index_text(const struct index *index, uint32_t position);

/* Does the work of a2n_module_merged() (a2n.h). */
size_t index_merged_names(const struct index *index, uint64_t vaddr,
			  const char **names, size_t room);

struct index_row {
	/*
	 * relative to the module's base: the row's first address or, from
	 * index_find_rows(), the address that was looked up
	 */
	uint32_t start;
	uint32_t file, line, column, discriminator, node;
};

enum { INDEX_GROUP = 32 };

/*
 * Finds the rows that contain up to INDEX_GROUP addresses, in parallel, so that
 * their cache misses overlap. `start` of each result is the address itself,
 * relative to the module's base, for index_row_frames(); UINT32_MAX outside the
 * module. All other members are 0 if no row contains the address.
 */
void index_find_rows(const struct index *index, const uint64_t *vaddrs,
		     size_t count, struct index_row *rows);

/* Does the work of a2n_module_lookup() (a2n.h). */
size_t index_lookup(const struct index *index, uint64_t vaddr,
		    struct a2n_frame *frames, size_t room);

/* A walk over all rows in order of address. */

struct index_rows {
	const struct index *index;
	struct cursor cursor;
	struct index_row row;
	uint64_t next; /* number of the row after the current one */
	uint64_t count;
};

/* Reads the first row. Returns 0 if there is none. */
int index_rows_first(const struct index *index, struct index_rows *rows);
int index_rows_next(struct index_rows *rows);

/*
 * Stores at most `room` frames of a row, innermost first, and returns the
 * number of all frames; 0 if nothing is known. The outermost frame gets its
 * name from the symbol table if a symbol contains row->start.
 */
size_t index_row_frames(const struct index *index, const struct index_row *row,
			struct a2n_frame *frames, size_t room);

#endif
