/* SPDX-License-Identifier: MIT */
/*
 * The file of packets, beside the part, where calls are written down one by one
 * (wire/packet.h).
 *
 * It grows like a part (part.h), by a chunk for each packet, up to as many bytes
 * as the process may write, or each of its threads. From then on a thread uses its
 * oldest packet again; the file says how often. So a thread whose system calls
 * are filtered goes on, too, once it has had a packet. If that is asked for the
 * packet's calls are counted before, in the thread's tally (past_calls.h), or by
 * workers in another process (handed_packets.h).
 */
#ifndef CLEW_RECORD_TRACE_H
#define CLEW_RECORD_TRACE_H

#include "preload/hot/tally.h"
#include "preload/record/part.h"
#include "wire/packet.h"

struct trace_file {
	struct part part; /* its header is NULL where nothing is traced */
	struct wire_packet_blocks *blocks;
	uint64_t most_bytes;   /* of packets, of all threads */
	uint64_t thread_bytes; /* of those of one */
	uint64_t least_ns;     /* that a call takes which is kept; 0: all are */
	uint64_t least_ticks;  /* the same; 0: not known yet. Any thread */
	uint64_t stamp_ns;     /* from stamp to stamp; 0: by calls */
	uint64_t stamp_ticks;  /* the same; 0: not known yet. Any thread */
	enum wire_overflow overflow;
	uint32_t keeps;              /* WIRE_KEEPS_SITES */
	int has_workers;             /* somebody takes packets that are full */
	_Atomic uint64_t used_bytes; /* any thread */
};

/* Beside a part; its limits are in it. Not thread-safe. 0 or -errno. */
int trace_create(struct trace_file *trace, const struct part *part);

/* In a forked child, that has this part. What the parent has is let go. */
void trace_after_fork(struct trace_file *trace, const struct part *part);

/* The process ends: what the file has more than is in use is cut off. */
void trace_finish(struct trace_file *trace);

/*
 * The index of a function, which gets one if it has none: 0 if there is no room
 * for it. With the turn to make patches.
 */
uint32_t trace_index(struct trace_file *trace, uint32_t function);

/* The same of one that may have none: 0 then. Any thread, signals. */
uint32_t trace_known_index(uint32_t function);

/*
 * A packet of zeros for the tally's owner: the words of its chunk, or NULL. Signals
 * blocked.
 */
uint32_t *trace_take(struct trace_file *trace, struct tally *tally);

/*
 * Where the former owner has stopped, in the newest of the tally's packets; *end
 * is where that ends. Or NULL. Likewise.
 */
uint32_t *trace_resume(struct tally *tally, uint64_t *end);

#endif
