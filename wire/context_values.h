/* SPDX-License-Identifier: MIT */
/*
 * Values of contexts in a recording (recording.h): numbers that an agent in the
 * program counts (agent/clew.h), for example allocated bytes; hits of a user's
 * probes (user_probe.h); or the costs in another tool's file (imported.h). A
 * table of values consists of one or several chunks with the same columns. Each
 * chunk has this form:
 *
 *	wire_values | wire_value_kind of each column | row | row | ...
 *
 * A row is a wire_value_row followed by one int64_t for each column. Any thread
 * of the process may change these numbers, by atomic operations. Readers add up
 * rows of the same context, and columns of the same name in several tables.
 */
#ifndef CLEW_WIRE_CONTEXT_VALUES_H
#define CLEW_WIRE_CONTEXT_VALUES_H

#include <stdint.h>

#define WIRE_VALUES_MAX       32 /* maximum number of columns */
#define WIRE_VALUE_NAME_BYTES 24

enum wire_unit {
	/* a number of the things that the column's name denotes */
	WIRE_UNIT_NUMBER,
	WIRE_UNIT_BYTES,
	WIRE_UNIT_NS,
	WIRE_UNIT_COUNT
};

struct wire_value_kind {
	char name[WIRE_VALUE_NAME_BYTES]; /* NUL-terminated */
	uint32_t unit;                    /* enum wire_unit */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_value_kind) == 32, "on the wire");

struct wire_values {
	uint32_t columns;
	uint32_t rows; /* number of rows for which this chunk has room */
};
_Static_assert(sizeof(struct wire_values) == 8, "on the wire");

enum wire_row_state {
	WIRE_ROW_FREE,
	/*
	 * Values of one context. With id 0, the values outside of all hooked
	 * functions.
	 */
	WIRE_ROW_CONTEXT,
	/* Values of all contexts that got no row of their own. */
	WIRE_ROW_OTHERS,
};

struct wire_value_row {
	uint64_t id; /* id of the context */
	/* enum wire_row_state; stored last, with release */
	_Atomic uint32_t state;
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_value_row) == 16, "on the wire");

static inline uint64_t wire_value_row_bytes(uint32_t columns)
{
	return sizeof(struct wire_value_row) +
	       (uint64_t)columns * sizeof(int64_t);
}

/*
 * Returns the number of bytes from the start of the chunk's payload to the
 * first row.
 */
static inline uint64_t wire_value_rows_offset(uint32_t columns)
{
	return sizeof(struct wire_values) +
	       (uint64_t)columns * sizeof(struct wire_value_kind);
}

#endif
