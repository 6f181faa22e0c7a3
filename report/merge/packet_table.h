/* SPDX-License-Identifier: MIT */
/* A hash table of calls by context and tally. */
#ifndef CLEW_MERGE_PACKET_TABLE_H
#define CLEW_MERGE_PACKET_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* The calls of one context in one tally. */
struct packet_count {
	uint64_t id;    /* 0 in a free entry */
	uint64_t calls; /* number of calls, including tail calls */
	uint64_t tails;
	/*
	 * Time stamp ticks during which the context's function was the
	 * innermost one (packet_times.h); 0 if it is unknown.
	 */
	uint64_t ticks;
	uint32_t tally;
	uint32_t function; /* number of the function in the process */
};

/* A table with open addressing, by id and tally. */
struct packet_table {
	struct packet_count *entries;
	size_t used;
	unsigned int log2;
};

void packet_table_init(struct packet_table *table);
void packet_table_fini(struct packet_table *table);

/*
 * Returns the entry of a context in a tally, and creates it if there is none.
 * The pointer is valid until the next call.
 */
struct packet_count *packet_table_enter(struct packet_table *table, uint64_t id,
					uint32_t tally, uint32_t function);

/* Returns the entry of a context, or NULL. */
const struct packet_count *packet_table_find(const struct packet_table *table,
					     uint64_t id, uint32_t tally);

/*
 * Makes room for `count` entries. Must be called before entries are added in
 * the order of another table: this is the order of their hashes, so a smaller
 * table would get one long cluster, and adding would take quadratic time.
 */
void packet_table_reserve(struct packet_table *table, size_t count);

/*
 * packet_table_add() adds the counts of `more` to the entry of the same context
 * and tally. packet_table_add_all() does this for all entries of a table.
 */
void packet_table_add(struct packet_table *table,
		      const struct packet_count *more);

void packet_table_add_all(struct packet_table *to,
			  const struct packet_table *from);

#endif
