/* SPDX-License-Identifier: MIT */
/*
 * A map from 64-bit keys to nonzero 64-bit values with open addressing, at most
 * half full and without removal. Keys may be chosen by an attacker and are
 * mixed. This map differs from base/idmap.h in returning -ENOMEM, since it is
 * part of a library.
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

/* Returns the value of the key, or 0. */
uint64_t table_find(const struct table *table, uint64_t key);

/* Sets the value, which must not be 0. Returns 0 or -ENOMEM. */
int table_set(struct table *table, uint64_t key, uint64_t value);

void table_fini(struct table *table);

#endif
