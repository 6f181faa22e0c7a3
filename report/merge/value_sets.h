/* SPDX-License-Identifier: MIT */
/*
 * Sets of probe values of calls. Each different set is stored once and has a
 * number; set 0 is empty.
 */
#ifndef CLEW_MERGE_VALUE_SETS_H
#define CLEW_MERGE_VALUE_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/idmap.h"

struct label_value {
	uint8_t probe, field; /* numbers of the probe and of its field */
	uint8_t is_missing;
	uint8_t reserved;
	uint32_t string_bytes; /* length of `string` */
	uint64_t number;       /* 0 for a string or a missing value */
	const char *string;    /* NULL if the value is a number */
};

struct value_set {
	unsigned char *bytes;
	size_t count;
};

/* The caller sets all members to 0 before use. */
struct value_sets {
	struct value_set *items; /* items[i] has the number i + 1 */
	size_t count, capacity;
	struct idmap by_hash; /* maps the hash of a set to its number */
};

void value_sets_fini(struct value_sets *sets);

/*
 * Returns the number of the set that results if `value` is added to the set
 * `set`, where it replaces a value of the same probe and field.
 */
uint32_t value_sets_with(struct value_sets *sets, uint32_t set,
			 const struct label_value *value);

/*
 * Reads the next value of a set, in the order of probe and field, and advances
 * *at, which must be 0 at first. Returns 0 at the end.
 */
int value_sets_next(const struct value_sets *sets, uint32_t set, size_t *at,
		    struct label_value *value);

#endif
