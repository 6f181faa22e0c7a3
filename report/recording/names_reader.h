/* SPDX-License-Identifier: MIT */
/*
 * Names of functions that lie in no module's file, such as Java methods, by
 * number (WIRE_NAMES); and their source files and lines as the runtime reported
 * them.
 */
#ifndef CLEW_RECORDING_NAMES_READER_H
#define CLEW_RECORDING_NAMES_READER_H

#include "report/recording/part_reader.h"

struct recorded_name {
	uint32_t number;
	const char *text; /* not NUL-terminated */
	size_t text_bytes;
};

/*
 * Reads the name at *cursor, which starts as 0, of a WIRE_NAMES chunk and
 * advances the cursor. Returns 0 at the end. WIRE_SOURCES and WIRE_CALL_PLACES
 * chunks are read in the same way; their bytes are aligned to 8.
 */
int names_next(const struct part_chunk *chunk, size_t *cursor,
	       struct recorded_name *out);

#endif
