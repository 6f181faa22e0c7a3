/* SPDX-License-Identifier: MIT */
/* The selection rules of a part and how much each one matched. */
#ifndef CLEW_RECORDING_RULES_H
#define CLEW_RECORDING_RULES_H

#include <stdio.h>

#include "report/recording/part_reader.h"

struct recorded_rule {
	const char *text; /* not NUL-terminated */
	size_t text_bytes;
	uint64_t matches;
};

/*
 * Reads the rule at *cursor, which starts as 0, of a WIRE_RULES chunk and
 * advances the cursor. Returns 0 at the end.
 */
int rule_next(const struct part_chunk *chunk, size_t *cursor,
	      struct recorded_rule *out);

/* Sums over several processes, which all have the same rules. */
struct rule_sums {
	struct rule_sum {
		char *text; /* not NUL-terminated */
		size_t text_bytes;
		uint64_t matches;
	} * items;
	size_t count, capacity;
};

/* Adds a part to sums, which start zero-initialised. */
void rule_sums_add(struct rule_sums *sums, const struct part_copy *part);
void rule_sums_fini(struct rule_sums *sums);

/* Prints one line for each rule that matched nothing in any process. */
void rule_sums_warn(FILE *out, const struct rule_sums *sums,
		    const char *prefix);

#endif
