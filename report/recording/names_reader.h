/* SPDX-License-Identifier: MIT */
/*
 * Functions that lie in no module's file, as Java's methods: their names by number
 * (WIRE_NAMES), and the source files and lines that were told of them.
 */
#ifndef CLEW_RECORDING_NAMES_READER_H
#define CLEW_RECORDING_NAMES_READER_H

#include "report/recording/part_reader.h"

struct recorded_name {
	uint32_t number;
	const char *text; /* not terminated */
	size_t text_bytes;
};

/*
 * The name at *cursor, 0 at first, of a WIRE_NAMES chunk; 0: no more. Likewise of
 * WIRE_SOURCES and WIRE_CALL_PLACES, whose bytes are aligned to 8.
 */
int names_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_name *out);

#endif
