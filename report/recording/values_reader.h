/* SPDX-License-Identifier: MIT */
/*
 * Checked chunks of WIRE_VALUES: values that an agent counted for each context.
 */
#ifndef CLEW_RECORDING_VALUES_READER_H
#define CLEW_RECORDING_VALUES_READER_H

#include "report/recording/part_reader.h"

struct recorded_values {
	const struct wire_value_kind *kinds;
	const unsigned char *rows;
	uint32_t columns;
	uint32_t count; /* capacity in rows; some are free */
};

/*
 * Returns whether a chunk has this kind and contains all that its header
 * claims. Sets *out only if it does.
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
