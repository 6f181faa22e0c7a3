/* SPDX-License-Identifier: MIT */
#include "tests/unit/trace_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/id.h"
#include "wire/recording.h"

#define BLOCKS (TRACE_FILE_FUNCTIONS >> WIRE_PACKET_BLOCK_LOG2)

/* Appends this number of zeros and returns their offset. */
static size_t extend(struct trace_file *file, size_t bytes)
{
	const size_t offset = file->size;

	if (offset + bytes > file->capacity) {
		file->capacity = 2 * (offset + bytes);
		file->bytes = realloc(file->bytes, file->capacity);
		if (!file->bytes)
			abort();
	}
	memset(file->bytes + offset, 0, bytes);
	file->size += bytes;
	return offset;
}

static size_t add_chunk(struct trace_file *file, uint32_t kind, uint32_t owner,
			size_t bytes)
{
	const size_t offset = extend(file, bytes);
	struct wire_chunk *chunk = (void *)(file->bytes + offset);

	chunk->kind = kind;
	chunk->owner = owner;
	chunk->bytes = bytes;
	chunk->used = bytes - sizeof(*chunk);
	return offset;
}

void trace_file_init(struct trace_file *file, uint32_t pid, uint32_t seq,
		     uint32_t first)
{
	struct wire_packet_blocks *blocks;
	struct wire_header *header;
	size_t offset;

	*file = (struct trace_file){ 0 };
	extend(file, sizeof(*header));
	header = (void *)file->bytes;
	memcpy(header->magic, WIRE_MAGIC, sizeof(header->magic));
	header->version = WIRE_VERSION;
	header->header_bytes = sizeof(*header);
	header->pid = pid;
	header->seq = seq;
	offset = add_chunk(file, WIRE_PACKET_BLOCKS, 0,
			   sizeof(struct wire_chunk) + sizeof(*blocks));
	blocks = (void *)(file->bytes + offset + sizeof(struct wire_chunk));
	blocks->count = BLOCKS;
	for (uint32_t i = 0; i < BLOCKS; i++)
		blocks->blocks[i] = (first >> WIRE_PACKET_BLOCK_LOG2) + i + 1;
}

void trace_file_fini(struct trace_file *file)
{
	free(file->bytes);
	*file = (struct trace_file){ 0 };
}

void trace_file_packet(struct trace_file *file, uint32_t tally)
{
	file->packet = add_chunk(file, WIRE_PACKET, tally, WIRE_PACKET_BYTES);
	file->words = 0;
}

void trace_file_word(struct trace_file *file, uint32_t word)
{
	const size_t at = sizeof(struct wire_chunk) + 4 * file->words++;

	if (!file->packet || at >= WIRE_PACKET_BYTES)
		abort();
	memcpy(file->bytes + file->packet + at, &word, sizeof(word));
}

void trace_file_context(struct trace_file *file,
			const struct trace_file_context *context)
{
	struct wire_packet_begin begin = {
		.head = wire_packet_odd(
			WIRE_PACKET_BEGIN,
			WIRE_PACKET_BEGIN_WORDS(context->count)),
		.tid = context->tid,
		.sequence = { (uint32_t)context->sequence,
			      (uint32_t)(context->sequence >> 32) },
		.tsc = { (uint32_t)context->tsc,
			 (uint32_t)(context->tsc >> 32) },
		.cause = context->cause,
		.functions = context->count,
	};
	uint64_t id = context->around_id;
	uint32_t words[sizeof(begin) / 4];

	for (uint32_t i = 0; i < context->count; i++)
		id = id_push(id, id_key(context->functions[i]));
	begin.id[0] = (uint32_t)id;
	begin.id[1] = (uint32_t)(id >> 32);
	memcpy(words, &begin, sizeof(begin));
	for (size_t i = 0; i < sizeof(begin) / 4; i++)
		trace_file_word(file, words[i]);
	for (uint32_t i = 0; i < context->count; i++)
		trace_file_word(file,
				context->functions[context->count - 1 - i]);
	for (uint32_t i = 0; i < context->count; i++)
		trace_file_word(file, trace_file_place(context->count - i));
	trace_file_word(file, WIRE_PACKET_BEGIN_END);
}

void trace_file_call(struct trace_file *file, uint32_t depth, uint32_t index)
{
	trace_file_word(file, trace_file_place(depth)
					      << WIRE_PACKET_PLACE_SHIFT |
				      index);
}

void trace_file_tail(struct trace_file *file, uint32_t depth, uint32_t index)
{
	trace_file_word(file, wire_packet_odd(WIRE_PACKET_TAIL,
					      WIRE_PACKET_TAIL_WORDS));
	trace_file_call(file, depth, index);
}

static void add_tsc(struct trace_file *file, uint64_t tsc)
{
	trace_file_word(file, (uint32_t)tsc);
	trace_file_word(file, (uint32_t)(tsc >> 32));
}

void trace_file_stamp(struct trace_file *file, uint64_t tsc)
{
	trace_file_word(file, wire_packet_odd(WIRE_PACKET_STAMP,
					      WIRE_PACKET_STAMP_WORDS));
	add_tsc(file, tsc);
}

void trace_file_moment(struct trace_file *file, uint64_t tsc)
{
	trace_file_word(file, wire_packet_odd(WIRE_PACKET_MOMENT,
					      WIRE_PACKET_MOMENT_WORDS));
	add_tsc(file, tsc);
}

void trace_file_return(struct trace_file *file, uint32_t depth, uint64_t tsc)
{
	trace_file_word(file, wire_packet_odd(WIRE_PACKET_RETURN,
					      WIRE_PACKET_RETURN_WORDS));
	trace_file_word(file, trace_file_place(depth));
	add_tsc(file, tsc);
}

void trace_file_save(struct trace_file *file, const char *path)
{
	FILE *out = fopen(path, "wb");

	((struct wire_header *)(void *)file->bytes)->end = file->size;
	if (!out || fwrite(file->bytes, 1, file->size, out) != file->size ||
	    fclose(out) != 0)
		abort();
}
