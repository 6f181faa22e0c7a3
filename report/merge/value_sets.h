/* SPDX-License-Identifier: MIT */
/*
 * Values of calls that probes kept, by number: each set that is different is kept once. Set 0
 * is empty.
 */
#ifndef CLEW_MERGE_VALUE_SETS_H
#define CLEW_MERGE_VALUE_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"

struct label_value {
	uint8_t probe, field; /* their numbers */
	uint8_t is_missing;
	uint8_t reserved;
	uint32_t string_bytes; /* that follow `string` */
	uint64_t number;       /* 0 of a string, or what is missing */
	const char *string;    /* NULL: a number */
};

struct value_set {
	unsigned char *bytes;
	size_t count;
};

/* Zero-initialise before use. */
struct value_sets {
	struct value_set *items; /* in order of their numbers, from 1 on */
	size_t count, capacity;
	struct idmap by_hash; /* -> number */
};

void value_sets_fini(struct value_sets *sets);

/* The number of a set with one value more, or with another one of the same field. */
uint32_t value_sets_with(struct value_sets *sets, uint32_t set,
			 const struct label_value *value);

/* The value of a set at *at, 0 at first, by probe and field; 0: no more. */
int value_sets_next(const struct value_sets *sets, uint32_t set, size_t *at,
		    struct label_value *value);

#endif
