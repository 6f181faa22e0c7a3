/* SPDX-License-Identifier: MIT */
/*
 * Reads and checks chunks WIRE_VALUES: values that an agent has counted for
 * contexts.
 */
#ifndef CLEW_RECORDING_VALUES_READER_H
#define CLEW_RECORDING_VALUES_READER_H

#include "report/recording/part_reader.h"

struct recorded_values {
	const struct wire_value_kind *kinds;
	const unsigned char *rows;
	uint32_t columns;
	uint32_t count; /* number of rows, of which some are free */
};

/*
 * Returns whether a chunk is a valid WIRE_VALUES. Then *out points into the
 * chunk; otherwise its value is undefined.
 */
int recorded_values_of(const struct part_chunk *chunk,
		       struct recorded_values *out);

static inline const struct wire_value_row *recorded_row(
	const struct recorded_values *values, uint32_t number)
{
	return (const void *)(values->rows +
			      number * wire_value_row_bytes(values->columns));
}

static inline const int64_t *recorded_row_values(
	const struct wire_value_row *row)
{
	return (const void *)(row + 1);
}

#endif
