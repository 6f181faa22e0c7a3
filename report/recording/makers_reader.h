/* SPDX-License-Identifier: MIT */
/* A range of memory that a module has made executable. */
#ifndef CLEW_RECORDING_MAKERS_READER_H
#define CLEW_RECORDING_MAKERS_READER_H

#include "report/recording/part_reader.h"

struct recorded_maker {
	uint64_t start, end;
	/*
	 * Time stamps: when the memory was made executable, and when it was
	 * unmapped (0: it is still mapped).
	 */
	uint64_t tsc, gone_tsc;
	/*
	 * Address in the module's code that made the memory executable; 0:
	 * unknown.
	 */
	uint64_t pc;
	const char *name; /* name of the mapping; not NUL-terminated */
	uint32_t name_bytes;
};

/*
 * Reads the record at *cursor, which starts as 0, of a WIRE_MAKERS chunk and
 * advances the cursor. Returns 0 at the end and at a malformed record.
 */
int makers_next(const struct part_chunk *chunk, size_t *cursor,
		struct recorded_maker *out);

#endif
