/* SPDX-License-Identifier: MIT */
/*
 * Packets are independent of each other: any number of workers, each a thread, take one
 * after the other, in any order.
 */
#ifndef CLEW_MERGE_PACKET_POOL_H
#define CLEW_MERGE_PACKET_POOL_H

#include "report/recording/taken_reader.h"
#include "report/recording/trace_reader.h"

#define PACKET_WORKERS_MAX 64

struct packet_pool {
	const struct trace *trace;
	const struct taken *taken; /* whose packets are passed over, or NULL */
	const size_t
		*order; /* indices of the trace's packets; NULL: as they are */
	/* A packet, by its index, for a worker: one at a time for each. */
	void (*take)(void *worker, struct packet_cursor *cursor, size_t packet);
	_Atomic size_t next; /* any worker */
};

/*
 * Has so many workers, which lie in a row, `bytes` each, take all packets. Where no thread
 * can be had the first one takes them.
 */
void packet_pool_run(struct packet_pool *pool, void *workers, size_t bytes,
		     unsigned int count);

#endif
