/* SPDX-License-Identifier: MIT */
/* The selection rules of a part, and what they matched. */
#ifndef CLEW_RECORDING_RULES_H
#define CLEW_RECORDING_RULES_H

#include <stdio.h>

#include "report/recording/recording_reader.h"

struct recorded_rule {
	const char *text; /* not terminated */
	size_t text_bytes;
	uint64_t matches;
};

/* The rule at *cursor, 0 at first, of a WIRE_RULES chunk; 0: no more. */
int rule_next(const struct part_chunk *chunk, size_t *cursor,
	      struct recorded_rule *out);

/* One line for each rule that matched nothing in any process. */
void rules_warn(FILE *out, const struct recording *recording,
		const char *prefix);

#endif
