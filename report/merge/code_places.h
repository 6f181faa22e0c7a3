/* SPDX-License-Identifier: MIT */
/* Finds the methods at an address in compiled code (struct wire_code_lines). */
#ifndef CLEW_MERGE_CODE_PLACES_H
#define CLEW_MERGE_CODE_PLACES_H

#include "base/idmap.h"
#include "report/recording/part_reader.h"

struct placed_code {
	const struct wire_code_lines *lines; /* points into the part */
};

/* The caller sets all members to 0 before use. */
struct code_places {
	struct placed_code *items;
	size_t count, capacity;
	struct idmap by_code; /* maps start ^ time stamp to 1 + the index */
};

struct placed_frame {
	uint32_t method;   /* number in the process, as recorded */
	uint32_t bytecode; /* index of the bytecode, or WIRE_BYTECODE_NONE */
};

/*
 * Adds the records of a WIRE_CODE_LINES chunk, up to the first invalid one.
 * `places` points into the part, which must exist as long.
 */
void code_places_add(struct code_places *places,
		     const struct part_chunk *chunk);
void code_places_fini(struct code_places *places);

/* Returns the record for the code with this start and time stamp, or NULL. */
const struct wire_code_lines *code_places_of(const struct code_places *places,
					     uint64_t start, uint64_t tsc);

/*
 * Stores at most `room` of the frames at an offset in the code, innermost
 * first, and returns the number of all frames. 0: unknown, or the record is
 * invalid.
 */
size_t code_places_frames(const struct wire_code_lines *lines, uint64_t offset,
			  struct placed_frame *frames, size_t room);

#endif
