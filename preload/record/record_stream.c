/* SPDX-License-Identifier: MIT */
/* See record_stream.h. */
#include "preload/record/record_stream.h"

#include "preload/sys/sys.h"

static uint64_t room_in(const struct record_stream *stream)
{
	return stream->chunk.head
		       ? stream->chunk.bytes - sizeof(struct wire_chunk) -
				 stream->used
		       : 0;
}

static int begin_chunk(struct record_stream *stream, struct part *part)
{
	const struct chunk full = stream->chunk;
	int err;

	stream->used = 0;
	stream->chunk.head = NULL;
	err = part_alloc(part, stream->kind, 0,
			 stream->chunk_bytes - sizeof(struct wire_chunk),
			 &stream->chunk);
	if (!err && full.head)
		part_complete(&full);
	return err;
}

int record_stream_room(struct record_stream *stream, struct part *part,
		       uint64_t bytes, void **at)
{
	const int err = room_in(stream) < bytes ? begin_chunk(stream, part) : 0;

	if (!err)
		*at = (unsigned char *)chunk_payload(&stream->chunk) +
		      stream->used;
	return err;
}

void record_stream_add(struct record_stream *stream, uint64_t bytes)
{
	stream->used += bytes;
	atomic_store_explicit(&stream->chunk.head->used, stream->used,
			      memory_order_release);
}

void record_stream_forget(struct record_stream *stream)
{
	stream->chunk.head = NULL;
}
