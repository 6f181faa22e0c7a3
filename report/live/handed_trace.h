/* SPDX-License-Identifier: MIT */
/*
 * Reads the trace of a running process: the file PID.SEQ.trace, to which the
 * process's threads write packets of calls (wire/packet.h). A worker of clew
 * takes packets that are full, counts their calls (wire/taken.h), and returns
 * the packets, which the process then overwrites.
 *
 * The trace file is mapped, because clew and the process both change the states
 * of packets in it; no descriptor stays open. Only one thread at a time may
 * call these functions, except handed_trace_give_back().
 */
#ifndef CLEW_LIVE_HANDED_TRACE_H
#define CLEW_LIVE_HANDED_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/packet_reader.h"
#include "wire/recording.h"

/*
 * A chunk of the trace file. The process writes one packet after another into
 * it. All of them belong to one tally.
 */
struct handed_packet {
	struct wire_chunk *head;
	uint64_t offset;
	/* sequence number of the last counted packet; 0 if there is none */
	uint64_t sequence;
};

struct handed_segment {
	unsigned char *at;
	uint64_t offset, bytes;
};

struct handed_trace {
	char *path;
	struct wire_header *header;
	struct wire_packet_blocks *wire;
	struct packet_blocks blocks; /* copied when the last packet was taken */
	struct handed_segment *segments;
	size_t segment_count, segment_capacity;
	/* The packets, which do not move in memory. */
	struct handed_packet **packets;
	size_t count, capacity;
	/* offset in the file up to which all chunks were found */
	uint64_t looked_to;
	size_t next; /* index of the next packet to check */
	/*
	 * The value of wire->filled when handed_trace_take() last returned NULL
	 * after a search.
	 */
	_Atomic uint32_t filled;
};

/*
 * Opens a trace. Returns 0, and the caller calls handed_trace_close(); -EAGAIN
 * if the process has not initialised the file yet; -EPROTO if another version
 * of clew writes it; or another -errno.
 */
int handed_trace_open(struct handed_trace *trace, const char *path);
void handed_trace_close(struct handed_trace *trace);

/*
 * Returns a full packet, or NULL if there is none. The process does not change
 * the packet until handed_trace_give_back().
 */
struct handed_packet *handed_trace_take(struct handed_trace *trace);

/*
 * handed_trace_give_back() returns a packet to the process after the packet's
 * calls were stored in the file of counted calls. handed_trace_wake(), called
 * after one or more packets, wakes the threads that wait for a packet.
 */
void handed_trace_give_back(struct handed_packet *packet);
void handed_trace_wake(struct handed_trace *trace);

/*
 * Waits until a packet has become full since handed_trace_take() returned NULL,
 * at most `ns` nanoseconds (less than 1 s). May return early.
 */
void handed_trace_sleep(struct handed_trace *trace, uint64_t ns);

/* Returns whether a thread of the process waits for a packet to write to. */
int handed_trace_is_awaited(const struct handed_trace *trace);

/*
 * Announces to the process that no worker counts any more, so threads do not
 * wait for workers. Only the first reason is stored.
 */
void handed_trace_give_up(struct handed_trace *trace,
			  enum wire_given_up reason);

#endif
