/* SPDX-License-Identifier: MIT */
/*
 * Checked chunks of a program's marks and of their names (wire/mark_records.h).
 */
#ifndef CLEW_RECORDING_MARKS_READER_H
#define CLEW_RECORDING_MARKS_READER_H

#include "report/recording/part_reader.h"

struct recorded_marks {
	/* an array, of which some items are free */
	const struct wire_mark *items;
	uint32_t count;
};

struct recorded_mark_names {
	const struct wire_mark_names *head;
	/* an array, of which some items are free */
	const struct wire_mark_name *items;
	uint32_t count;
};

/*
 * Return whether a chunk has the right kind and contains as many items as its
 * header says. Only then set *out, which points into the chunk.
 */
int recorded_marks_of(const struct part_chunk *chunk,
		      struct recorded_marks *out);
int recorded_mark_names_of(const struct part_chunk *chunk,
			   struct recorded_mark_names *out);

#endif
