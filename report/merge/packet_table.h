/* SPDX-License-Identifier: MIT */
/* How often contexts were called, by tally: a hash table. */
#ifndef CLEW_MERGE_PACKET_TABLE_H
#define CLEW_MERGE_PACKET_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* A context, in one tally. */
struct packet_count {
	uint64_t id;    /* 0: the entry is free */
	uint64_t calls; /* tail calls, too */
	uint64_t tails;
	uint64_t ticks; /* of its own time, by the stamps; 0: not known */
	uint32_t tally;
	uint32_t function; /* its number */
};

/* Open addressing, by id and tally. */
struct packet_table {
	struct packet_count *entries;
	size_t used;
	unsigned int log2;
};

void packet_table_init(struct packet_table *table);
void packet_table_fini(struct packet_table *table);

/* The entry of a context, made if need be. Valid until the next one is made. */
struct packet_count *packet_table_enter(struct packet_table *table, uint64_t id,
					uint32_t tally, uint32_t function);

/* The same if there is one, or NULL. */
const struct packet_count *packet_table_find(const struct packet_table *table,
					     uint64_t id, uint32_t tally);

/*
 * Grows the table so that it has room for `count` entries. Call it before you add
 * entries in the order of another table: they have the order of their homes, and
 * would fill a table that is still small as one cluster, in quadratic time.
 */
void packet_table_reserve(struct packet_table *table, size_t count);

/* Adds to the entry of the same context what `more` has. */
void packet_table_add(struct packet_table *table,
		      const struct packet_count *more);

void packet_table_add_all(struct packet_table *to,
			  const struct packet_table *from);

#endif
