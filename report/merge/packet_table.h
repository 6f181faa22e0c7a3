/* SPDX-License-Identifier: MIT */
/* A hash table of calls by context and tally. */
#ifndef CLEW_MERGE_PACKET_TABLE_H
#define CLEW_MERGE_PACKET_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* A context, in one tally. */
struct packet_count {
	uint64_t id;    /* 0: free entry */
	uint64_t calls; /* including tail calls */
	uint64_t tails;
	uint64_t ticks; /* own time by time stamps; 0: unknown */
	uint32_t tally;
	uint32_t function; /* its number in the process */
};

/* Open addressing by id and tally. */
struct packet_table {
	struct packet_count *entries;
	size_t used;
	unsigned int log2;
};

void packet_table_init(struct packet_table *table);
void packet_table_fini(struct packet_table *table);

/*
 * Returns the entry of a context; creates it if needed. Valid until the next
 * one is created.
 */
struct packet_count *packet_table_enter(struct packet_table *table, uint64_t id,
					uint32_t tally, uint32_t function);

/* Returns the entry of a context, or NULL. */
const struct packet_count *packet_table_find(const struct packet_table *table,
					     uint64_t id, uint32_t tally);

/*
 * Grows the table to have room for `count` entries. Call it before adding
 * entries in the order of another table: that order follows the hash, so a
 * small table would fill as one cluster, in quadratic time.
 */
void packet_table_reserve(struct packet_table *table, size_t count);

/* Adds the counts of `more` to the entry of the same context. */
void packet_table_add(struct packet_table *table,
		      const struct packet_count *more);

void packet_table_add_all(struct packet_table *to,
			  const struct packet_table *from);

#endif
