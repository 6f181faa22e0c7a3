/* SPDX-License-Identifier: MIT */
/*
 * The selection rules of a part, and how many modules or functions each rule
 * has matched.
 */
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

/*
 * The different rules of several processes, up to a limit. `matches` is 0 if
 * the rule has matched nothing in any process; otherwise its value has no
 * meaning.
 */
struct rule_sums {
	struct rule_sum {
		char *text; /* not NUL-terminated */
		size_t text_bytes;
		uint64_t matches;
	} * items;
	size_t count, capacity;
};

/*
 * Adds the rules of a part to `sums`, which are zero-initialised before the
 * first part.
 */
void rule_sums_add(struct rule_sums *sums, const struct part_copy *part);
void rule_sums_fini(struct rule_sums *sums);

/*
 * Prints a line that begins with `prefix` for each rule that has matched
 * nothing in any process.
 */
void rule_sums_warn(FILE *out, const struct rule_sums *sums,
		    const char *prefix);

#endif
