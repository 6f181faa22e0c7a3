/* SPDX-License-Identifier: MIT */
/*
 * Processes the packets of a trace by several threads. Packets can be read
 * independently of each other, so the order does not matter.
 */
#ifndef CLEW_MERGE_PACKET_POOL_H
#define CLEW_MERGE_PACKET_POOL_H

#include "report/recording/taken_reader.h"
#include "report/recording/trace_reader.h"

#define PACKET_WORKERS_MAX 64

struct packet_pool {
	const struct trace *trace;
	/* Packets whose calls are counted here are skipped; may be NULL. */
	const struct taken *taken;
	/*
	 * Indices of the trace's packets, in the order of processing. NULL for
	 * the trace's order.
	 */
	const size_t *order;
	/*
	 * Processes the packet with this index. Called by one thread at a time
	 * for each worker.
	 */
	void (*take)(void *worker, struct packet_cursor *cursor, size_t packet);
	/* Index of the next packet to process. Any thread may change it. */
	_Atomic size_t next;
};

/*
 * Runs `count` workers until all packets are processed. `workers` is an array
 * of elements of `bytes` bytes. The calling thread is the first worker, so it
 * does all work if no thread can be created.
 */
void packet_pool_run(struct packet_pool *pool, void *workers, size_t bytes,
		     unsigned int count);

#endif
