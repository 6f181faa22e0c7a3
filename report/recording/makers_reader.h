/* SPDX-License-Identifier: MIT */
/* Who made memory executable. */
#ifndef CLEW_RECORDING_MAKERS_READER_H
#define CLEW_RECORDING_MAKERS_READER_H

#include "report/recording/part_reader.h"

struct recorded_maker {
	uint64_t start, end;
	uint64_t tsc, gone_tsc; /* gone_tsc is 0: it is still there */
	uint64_t pc;            /* in the maker's text; 0: nobody knows who */
	const char *name;       /* of the mapping; not terminated */
	uint32_t name_bytes;
};

/* The record at *cursor, 0 at first, of a WIRE_MAKERS chunk; 0: no more. */
int makers_next(const struct part_chunk *chunk, size_t *cursor,
		struct recorded_maker *out);

#endif
