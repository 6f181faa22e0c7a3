/* SPDX-License-Identifier: MIT */
/*
 * Values of contexts in a recording (recording.h): what an agent in the program counts
 * (agent/clew.h), bytes that are allocated, say. A table of an agent's is one chunk or
 * several with the same columns, each of this form:
 *
 *	wire_values | wire_value_kind of each column | row | row | ...
 *
 * and a row is a wire_value_row with as many int64_t behind it as there are columns,
 * which any thread changes, each by an atomic addition. Rows of one context, and
 * columns of one name in several tables, add up.
 */
#ifndef CLEW_WIRE_CONTEXT_VALUES_H
#define CLEW_WIRE_CONTEXT_VALUES_H

#include <stdint.h>

#define WIRE_VALUES_MAX       32 /* columns */
#define WIRE_VALUE_NAME_BYTES 24

enum wire_unit {
	WIRE_UNIT_NUMBER, /* of whatever the name says */
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
	uint32_t rows; /* that there is room for in this chunk */
};
_Static_assert(sizeof(struct wire_values) == 8, "on the wire");

enum wire_row_state {
	WIRE_ROW_FREE,
	WIRE_ROW_CONTEXT, /* of one; id 0: outside of all hooked functions */
	WIRE_ROW_OTHERS,  /* of contexts that found no row of their own */
};

struct wire_value_row {
	uint64_t id;            /* of the context */
	_Atomic uint32_t state; /* enum wire_row_state; stored last, release */
	uint32_t reserved;
};
_Static_assert(sizeof(struct wire_value_row) == 16, "on the wire");

static inline uint64_t wire_value_row_bytes(uint32_t columns)
{
	return sizeof(struct wire_value_row) +
	       (uint64_t)columns * sizeof(int64_t);
}

/* From the chunk's payload on, to the first row. */
static inline uint64_t wire_value_rows_offset(uint32_t columns)
{
	return sizeof(struct wire_values) +
	       (uint64_t)columns * sizeof(struct wire_value_kind);
}

#endif
