/* SPDX-License-Identifier: MIT */
/*
 * A sequence of records of one kind, in chunks of their own.
 *
 * A record is visible when it is complete: the chunk's `used` is stored last.
 * Other chunks than the newest are seldom written, so they need no memory
 * (part_complete()). Callers ensure that only one thread at a time uses a
 * stream.
 */
#ifndef CLEW_RECORD_RECORD_STREAM_H
#define CLEW_RECORD_RECORD_STREAM_H

#include <stdint.h>

#include "preload/record/part.h"

struct record_stream {
	enum wire_chunk_kind kind;
	uint32_t chunk_bytes;
	struct chunk chunk; /* the newest; head is NULL if there is none */
	uint64_t used;      /* used bytes of the newest chunk's payload */
};

/*
 * Stores in *at the address at which to write the next record. `bytes` is a
 * multiple of 8 and less than a chunk's size. Returns 0 or -errno.
 */
int record_stream_room(struct record_stream *stream, struct part *part,
		       uint64_t bytes, void **at);

/* Publishes the record that was written there. */
void record_stream_add(struct record_stream *stream, uint64_t bytes);

/*
 * Resets the stream when the process has another part, for example in a forked
 * child.
 */
void record_stream_forget(struct record_stream *stream);

#endif
