/* SPDX-License-Identifier: MIT */
/* Marks, and their names, as a program told them (wire/mark_records.h), checked. */
#ifndef CLEW_RECORDING_MARKS_READER_H
#define CLEW_RECORDING_MARKS_READER_H

#include "report/recording/part_reader.h"

struct recorded_marks {
	const struct wire_mark *items; /* some of them free */
	uint32_t count;
};

struct recorded_mark_names {
	const struct wire_mark_names *head;
	const struct wire_mark_name *items; /* some of them free */
	uint32_t count;
};

/* Whether a chunk is that, and all that it says is in it; *out is set only if so. */
int recorded_marks_of(const struct part_chunk *chunk,
		      struct recorded_marks *out);
int recorded_mark_names_of(const struct part_chunk *chunk,
			   struct recorded_mark_names *out);

#endif
