/* SPDX-License-Identifier: MIT */
/* Which methods are at which addresses of compiled code (struct wire_code_lines). */
#ifndef CLEW_MERGE_CODE_PLACES_H
#define CLEW_MERGE_CODE_PLACES_H

#include "base/idmap.h"
#include "report/recording/part_reader.h"

struct placed_code {
	const struct wire_code_lines *lines; /* of the part */
};

/* Zero-initialise before use. */
struct code_places {
	struct placed_code *items;
	size_t count, capacity;
	struct idmap by_code; /* start ^ stamp -> index + 1 */
};

struct placed_frame {
	uint32_t method;   /* its number in the process, as recorded */
	uint32_t bytecode; /* or WIRE_BYTECODE_NONE */
};

/* Enters those of a chunk of a part, which must outlive them. */
void code_places_add(struct code_places *places,
		     const struct part_chunk *chunk);
void code_places_fini(struct code_places *places);

/* Those of the piece of code with that start and stamp, or NULL. */
const struct wire_code_lines *code_places_of(const struct code_places *places,
					     uint64_t start, uint64_t tsc);

/*
 * The methods at an offset, innermost first, of which at most `room` are filled in,
 * and how many there are; 0: nobody knows, or they make no sense.
 */
size_t code_places_frames(const struct wire_code_lines *lines, uint64_t offset,
			  struct placed_frame *frames, size_t room);

#endif
