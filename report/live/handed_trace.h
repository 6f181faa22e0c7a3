/* SPDX-License-Identifier: MIT */
/*
 * The trace of a running process. Full packets are taken, and given back when
 * their calls are counted (wire/packet.h, wire/taken.h).
 *
 * The file is mapped, since both sides change the states of its chunks; no
 * descriptor stays open. Only one thread at a time may call these functions,
 * except handed_trace_give_back().
 */
#ifndef CLEW_LIVE_HANDED_TRACE_H
#define CLEW_LIVE_HANDED_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/packet_reader.h"
#include "wire/recording.h"

/*
 * A location in the file, which holds one packet after another, all of one
 * tally.
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
	uint64_t looked_to; /* all chunks before this offset are known */
	size_t next;        /* index of the next packet to check */
	/* the value of `filled` in the file when no full packet was found */
	_Atomic uint32_t filled;
};

/*
 * Opens a trace. Returns 0, -EAGAIN if the file is not initialised yet, or
 * another -errno.
 */
int handed_trace_open(struct handed_trace *trace, const char *path);
void handed_trace_close(struct handed_trace *trace);

/* Returns a full packet, which the caller then owns, or NULL. */
struct handed_packet *handed_trace_take(struct handed_trace *trace);

/*
 * Returns a packet whose calls are counted durably; its thread may use it
 * again. Call handed_trace_wake() after the last one.
 */
void handed_trace_give_back(struct handed_packet *packet);
void handed_trace_wake(struct handed_trace *trace);

/*
 * Waits until a packet may have become full since none was found, at most `ns`.
 */
void handed_trace_sleep(struct handed_trace *trace, uint64_t ns);

/* Returns whether a thread waits for a packet. */
int handed_trace_is_awaited(const struct handed_trace *trace);

/*
 * Announces to the process that no worker counts any more. Only the first
 * reason is stored.
 */
void handed_trace_give_up(struct handed_trace *trace,
			  enum wire_given_up reason);

#endif
