/* SPDX-License-Identifier: MIT */
/*
 * A map from 64-bit keys to 64-bit values that are not zero: open addressing,
 * at most half full, nothing is ever removed. The keys may be hostile and are
 * mixed. Like base/idmap.h, but of a library, which has to say -ENOMEM.
 */
#ifndef CLEW_SYMBOLIZER_SPACE_TABLE_H
#define CLEW_SYMBOLIZER_SPACE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct table_entry {
	uint64_t key;
	uint64_t value; /* 0: empty */
};

/* Zero-initialise before use. */
struct table {
	struct table_entry *entries;
	size_t used;
	unsigned int log2;
};

/* The value of the key, or 0. */
uint64_t table_find(const struct table *table, uint64_t key);

/* Sets the value, which is not 0. 0 or -ENOMEM. */
int table_set(struct table *table, uint64_t key, uint64_t value);

void table_fini(struct table *table);

#endif
