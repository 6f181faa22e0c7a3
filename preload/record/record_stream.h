/* SPDX-License-Identifier: MIT */
/*
 * Records of one kind, one behind the other, in chunks of their own.
 *
 * A record is seen when it is whole: its chunk's `used` is stored last. Only the
 * newest chunk is written to, so that the others need no memory (part_complete()).
 * Whoever has a stream sees to it that one thread at a time is in it.
 */
#ifndef CLEW_RECORD_RECORD_STREAM_H
#define CLEW_RECORD_RECORD_STREAM_H

#include <stdint.h>

#include "preload/record/part.h"

struct record_stream {
	enum wire_chunk_kind kind;
	uint32_t chunk_bytes;
	struct chunk chunk; /* the newest; head is NULL if there is none */
	uint64_t used;      /* bytes of its payload */
};

/*
 * Where the next record goes, of so many bytes, a multiple of 8 and fewer than a
 * chunk has. 0 or -errno.
 */
int record_stream_room(struct record_stream *stream, struct part *part,
		       uint64_t bytes, void **at);

/* It is there, and whole. */
void record_stream_add(struct record_stream *stream, uint64_t bytes);

/* In a forked child, which has another part. */
void record_stream_forget(struct record_stream *stream);

#endif
