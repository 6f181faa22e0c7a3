/* SPDX-License-Identifier: MIT */
/* The selection rules of a part, and what they matched. */
#ifndef CLEW_RECORDING_RULES_H
#define CLEW_RECORDING_RULES_H

#include <stdio.h>

#include "report/recording/part_reader.h"

struct recorded_rule {
	const char *text; /* not terminated */
	size_t text_bytes;
	uint64_t matches;
};

/* The rule at *cursor, 0 at first, of a WIRE_RULES chunk; 0: no more. */
int rule_next(const struct part_chunk *chunk, size_t *cursor,
	      struct recorded_rule *out);

/* The rules of several processes, which were all given the same ones. */
struct rule_sums {
	struct rule_sum {
		char *text; /* not terminated */
		size_t text_bytes;
		uint64_t matches;
	} * items;
	size_t count, capacity;
};

/* Zero-initialised, it is given each part. */
void rule_sums_add(struct rule_sums *sums, const struct part_copy *part);
void rule_sums_fini(struct rule_sums *sums);

/* One line for each rule that matched nothing in any process. */
void rule_sums_warn(FILE *out, const struct rule_sums *sums,
		    const char *prefix);

#endif
