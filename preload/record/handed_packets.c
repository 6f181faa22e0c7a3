/* SPDX-License-Identifier: MIT */
/* See handed_packets.h. */
#include "preload/record/handed_packets.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "preload/sys/sys.h"

/*
 * A thread waits in many short sleeps, and gives up when no packet of the
 * process was freed for three seconds. If the process is stopped during a sleep
 * (SIGSTOP), only that sleep counts.
 */
#define SLICE_NS 10000000
#define PATIENCE 300 /* maximum number of sleeps */

/* From <linux/futex.h>: futexes between processes. */
#define FUTEX_WAIT_SHARED 0
#define FUTEX_WAKE_SHARED 1

/* ---- States ---- */

static int change_state(struct wire_chunk *chunk, uint64_t from, uint64_t to)
{
	return atomic_load_explicit(&chunk->used, memory_order_relaxed) ==
		       from &&
	       atomic_compare_exchange_strong_explicit(&chunk->used, &from, to,
						       memory_order_acq_rel,
						       memory_order_relaxed);
}

static void wake_workers(struct wire_packet_blocks *blocks)
{
	if (atomic_load(&blocks->sleeping))
		sys_call(SYS_futex, (long)&blocks->filled, FUTEX_WAKE_SHARED,
			 INT32_MAX, 0, 0, 0);
}

void handed_packets_give(struct trace_file *trace,
			 struct tally_packets *packets)
{
	struct wire_packet_blocks *blocks = trace->blocks;
	struct wire_chunk *left = packets->left;

	packets->left = NULL;
	if (!left ||
	    !change_state(left, WIRE_PACKET_OWNED, WIRE_PACKET_OFFERED))
		return;
	atomic_fetch_add(&blocks->filled, 1);
	wake_workers(blocks);
}

/*
 * Makes the oldest packet that is in this state the thread's own, or returns
 * NULL.
 */
static struct wire_chunk *take(struct tally_packets *packets,
			       enum wire_packet_state from)
{
	for (uint32_t i = 0; i < packets->count; i++) {
		const uint32_t at = (packets->oldest + i) % packets->count;
		struct wire_chunk *chunk = packets->chunks[at];

		if (!change_state(chunk, from, WIRE_PACKET_OWNED))
			continue;
		packets->oldest = (at + 1) % packets->count;
		return chunk;
	}
	return NULL;
}

/* ---- Waiting ---- */

/*
 * Sleeps until a worker frees a packet (the counter differs from `freed`), or
 * for SLICE_NS. Returns the number of sleeps that remain: PATIENCE if a packet
 * was freed, 0 if the thread cannot sleep.
 */
static int sleep_since(struct wire_packet_blocks *blocks, uint32_t freed,
		       int patience)
{
	const struct timespec slice = { .tv_nsec = SLICE_NS };

	switch (sys_call(SYS_futex, (long)&blocks->freed, FUTEX_WAIT_SHARED,
			 freed, (long)&slice, 0, 0)) {
	case 0:
	case -EAGAIN:
		return PATIENCE;
	case -ETIMEDOUT:
	case -EINTR:
		return patience - 1;
	}
	return 0; /* waiting is not possible */
}

/*
 * Returns whether the thread may wait for workers. Waiting needs a system call.
 */
static int may_wait(const struct wire_packet_blocks *blocks)
{
	return !runtime_is_filtered() && !atomic_load(&blocks->is_given_up);
}

/*
 * Waits for a packet that a worker has counted. Returns NULL if waiting has
 * ended for all threads.
 */
static struct wire_chunk *wait_for_counted(struct wire_packet_blocks *blocks,
					   struct tally_packets *packets)
{
	const uint64_t begun = sys_clock_ns(CLOCK_MONOTONIC);
	struct wire_chunk *chunk = NULL;
	int patience = PATIENCE;

	atomic_fetch_add(&blocks->waiting, 1);
	/* Workers may have counted packets and not yet written the result. */
	wake_workers(blocks);
	while (!chunk && patience && !atomic_load(&blocks->is_given_up)) {
		const uint32_t freed = atomic_load(&blocks->freed);

		chunk = take(packets, WIRE_PACKET_COUNTED);
		if (chunk)
			break;
		patience = sleep_since(blocks, freed, patience);
	}
	atomic_fetch_sub(&blocks->waiting, 1);
	if (!patience)
		atomic_store(&blocks->is_given_up, WIRE_WORKERS_LATE);
	atomic_fetch_add(&blocks->waits, 1);
	atomic_fetch_add(&blocks->waited_ns,
			 sys_clock_ns(CLOCK_MONOTONIC) - begun);
	return chunk;
}

enum handed handed_packets_find(struct trace_file *trace,
				struct tally_packets *packets,
				struct wire_chunk **chunk)
{
	*chunk = take(packets, WIRE_PACKET_COUNTED);
	if (*chunk)
		return HANDED_COUNTED;
	if (trace->overflow == WIRE_OVERFLOW_WAIT && may_wait(trace->blocks))
		*chunk = wait_for_counted(trace->blocks, packets);
	if (*chunk)
		return HANDED_COUNTED;
	*chunk = take(packets, WIRE_PACKET_OFFERED);
	if (*chunk)
		return HANDED_BACK;
	/*
	 * Workers have all packets. One of them will be freed soon, or never.
	 */
	if (may_wait(trace->blocks))
		*chunk = wait_for_counted(trace->blocks, packets);
	return *chunk ? HANDED_COUNTED : HANDED_NONE;
}
