/* SPDX-License-Identifier: MIT */
/*
 * The file with the packets of a trace, into which each call is written
 * (wire/packet.h). It lies beside the process's part.
 *
 * The file grows like a part (part.h), by a chunk for each packet, up to the
 * limits of the process and of each thread. From then on a thread reuses its
 * oldest packet; the file contains how often. Therefore a thread under a system
 * call filter can continue once it has had a packet, unless workers hold all
 * its packets. On request the packet's calls are counted first, in the thread's
 * tally (past_calls.h) or by workers in another process (handed_packets.h).
 */
#ifndef CLEW_RECORD_TRACE_H
#define CLEW_RECORD_TRACE_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"
#include "wire/packet.h"

struct trace_file {
	struct part part; /* .header is NULL if there is no trace */
	struct wire_packet_blocks *blocks;
	uint64_t most_bytes;   /* maximum size of all packets */
	uint64_t thread_bytes; /* maximum size of one thread's packets */
	/* duration of the shortest call that is recorded; 0 if all are */
	uint64_t least_ns;
	uint64_t least_ticks; /* in ticks; 0: not known yet */
	/* requested time between time stamps; 0: by number of calls */
	uint64_t stamp_ns;
	uint64_t stamp_ticks; /* in ticks; 0: not known yet */
	enum wire_overflow overflow;
	uint32_t keeps;  /* bits WIRE_KEEPS_SITES, WIRE_KEEPS_VALUES */
	int has_workers; /* whether workers take full packets */
	_Atomic uint64_t used_bytes; /* any thread may store it */
};

/*
 * Forgets the indexes of functions, before another trace is created in the same
 * process. No thread records a trace meanwhile.
 */
void trace_forget_functions(void);

/*
 * Creates the file beside a part. The caller has set the limits in `trace`. Not
 * thread-safe. Returns 0 or -errno.
 */
int trace_create(struct trace_file *trace, const struct part *part);

/*
 * In a forked child with this part: creates its file and releases the parent's.
 */
void trace_after_fork(struct trace_file *trace, const struct part *part);

/* Cuts off the unused rest of the file, at the end of the recording. */
void trace_finish(struct trace_file *trace);

/*
 * Unmaps the file, and the addresses of a thread's packets. No thread writes
 * to the packets any more.
 */
void trace_unmap(struct trace_file *trace);
void trace_unmap_packets(struct tally *tally);

/*
 * Returns the index of a function, and assigns one if it has none. Returns 0 if
 * there is no room. Called by the holder of the turn to make patches.
 */
uint32_t trace_index(struct trace_file *trace, uint32_t function);

/*
 * Returns the index of a function, or 0 if it has none. Any thread and any
 * signal handler may call this function.
 */
uint32_t trace_known_index(uint32_t function);

/*
 * Returns the words of a zeroed packet for the tally's owner, or NULL. Called
 * with signals blocked.
 */
uint32_t *trace_take(struct trace_file *trace, struct tally *tally);

/*
 * Returns where the tally's former owner has stopped writing in its newest
 * packet, or NULL. Sets *end to the packet's end. Called with signals blocked.
 */
uint32_t *trace_resume(struct tally *tally, uint64_t *end);

#endif
