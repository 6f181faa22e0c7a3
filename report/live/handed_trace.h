/* SPDX-License-Identifier: MIT */
/*
 * The trace of a process that runs, whose packets are taken as they become full, and
 * given back when their calls are counted (wire/packet.h, wire/taken.h).
 *
 * The file is mapped, as its chunks' states are changed by both sides; no descriptor stays
 * open. One thread at a time, but handed_trace_give_back().
 */
#ifndef CLEW_LIVE_HANDED_TRACE_H
#define CLEW_LIVE_HANDED_TRACE_H

#include <stddef.h>
#include <stdint.h>

#include "report/recording/packet_reader.h"
#include "wire/recording.h"

/* A place in the file: packets come and go there, all of one tally. */
struct handed_packet {
	struct wire_chunk *head;
	uint64_t offset;
	uint64_t sequence; /* of the one that was counted last; 0: none */
};

struct handed_segment {
	unsigned char *at;
	uint64_t offset, bytes;
};

struct handed_trace {
	char *path;
	struct wire_header *header;
	struct wire_packet_blocks *wire;
	struct packet_blocks blocks; /* a copy, as of the last packet taken */
	struct handed_segment *segments;
	size_t segment_count, segment_capacity;
	/* Each stays where it is. */
	struct handed_packet **packets;
	size_t count, capacity;
	uint64_t looked_to;      /* offset: all chunks before it are known */
	size_t next;             /* of packets, to be looked at */
	_Atomic uint32_t filled; /* as in the file, when none was found */
};

/* 0, -EAGAIN if it has only begun, or other -errno. */
int handed_trace_open(struct handed_trace *trace, const char *path);
void handed_trace_close(struct handed_trace *trace);

/* A packet that is full, now the caller's, or NULL. */
struct handed_packet *handed_trace_take(struct handed_trace *trace);

/*
 * What it has is counted, for good: its thread may use it again. handed_trace_wake() when
 * all have been given back that are to be.
 */
void handed_trace_give_back(struct handed_packet *packet);
void handed_trace_wake(struct handed_trace *trace);

/* Waits until a packet may be full that was not when none was found, or so long. */
void handed_trace_sleep(struct handed_trace *trace, uint64_t ns);

/* Whether a thread waits for a packet. */
int handed_trace_is_awaited(const struct handed_trace *trace);

/* Announces to the process that no worker counts any more, for the first reason given. */
void handed_trace_give_up(struct handed_trace *trace,
			  enum wire_given_up reason);

#endif
