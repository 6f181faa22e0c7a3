/* SPDX-License-Identifier: MIT */
/* See code_places.h. */
#include "report/merge/code_places.h"

#include <stdlib.h>

#include "base/memory.h"

/* ---- Pieces of code ---- */

static uint64_t key_of(uint64_t start, uint64_t tsc)
{
	return (start ^ tsc * UINT64_C(0x9e3779b97f4a7c15)) | 1;
}

/*
 * Returns the record at *cursor and advances the cursor behind it; NULL at the
 * end or if the record is invalid.
 */
static const struct wire_code_lines *next(const struct part_chunk *chunk,
					  size_t *cursor)
{
	const size_t left = chunk->used_bytes - *cursor;
	const struct wire_code_lines *lines =
		(const void *)(chunk->payload + *cursor);
	size_t padded;

	if (left < sizeof(*lines) || lines->bytes > WIRE_CODE_LINES_BYTES_MAX ||
	    lines->methods > lines->bytes / sizeof(uint32_t))
		return NULL;
	padded = ((size_t)lines->bytes + 7) & ~(size_t)7;
	if (padded > left - sizeof(*lines))
		return NULL;
	*cursor += sizeof(*lines) + padded;
	return lines;
}

void code_places_add(struct code_places *places, const struct part_chunk *chunk)
{
	const struct wire_code_lines *lines;
	size_t cursor = 0;

	while ((lines = next(chunk, &cursor)) != NULL) {
		places->items =
			memory_grow(places->items, places->count,
				    &places->capacity, sizeof(*places->items));
		places->items[places->count++] = (struct placed_code){ lines };
		*idmap_at(&places->by_code, key_of(lines->start, lines->tsc)) =
			places->count;
	}
}

void code_places_fini(struct code_places *places)
{
	free(places->items);
	idmap_fini(&places->by_code);
}

const struct wire_code_lines *code_places_of(const struct code_places *places,
					     uint64_t start, uint64_t tsc)
{
	const uint64_t *index =
		idmap_find(&places->by_code, key_of(start, tsc));
	const struct wire_code_lines *lines =
		index ? places->items[*index - 1].lines : NULL;

	return lines && lines->start == start && lines->tsc == tsc ? lines
								   : NULL;
}

/* ---- Frames at an offset ---- */

struct place_reading {
	const uint8_t *at, *end;
	int is_bad;
	struct read_frame {
		uint64_t method; /* index of the method */
		uint64_t bytecode;
		size_t caller; /* 1 + index of the calling frame, or 0 */
	} * frames;
	size_t count;
};

static uint64_t take(struct place_reading *reading)
{
	uint64_t number = 0;
	unsigned int shift = 0;

	for (;;) {
		if (reading->at == reading->end || shift > 56) {
			reading->is_bad = 1;
			return 0;
		}
		number |= (uint64_t)(*reading->at & 0x7f) << shift;
		shift += 7;
		if (!(*reading->at++ & 0x80))
			return number;
	}
}

/*
 * Reads one frame into reading->frames, which has room, because each frame
 * takes at least one byte.
 */
static void take_frame(struct place_reading *reading)
{
	struct read_frame *frame = &reading->frames[reading->count];
	uint64_t older;

	frame->method = take(reading);
	frame->bytecode = take(reading);
	older = take(reading);
	if (older > reading->count)
		reading->is_bad = 1;
	else
		frame->caller = older ? reading->count - older + 1 : 0;
	reading->count += !reading->is_bad;
}

/*
 * Reads one place (struct wire_code_lines) and returns the number of its bytes
 * of code. *frame becomes 1 + the index of its innermost frame.
 */
static uint64_t take_place(struct place_reading *reading, size_t *frame)
{
	const uint64_t bytes = take(reading);
	const uint64_t added = take(reading);
	uint64_t older = 0;

	for (uint64_t i = 0; i < added && !reading->is_bad; i++)
		take_frame(reading);
	if (added == 0)
		older = take(reading);
	if (older >= reading->count)
		reading->is_bad = 1;
	*frame = reading->count - older;
	return bytes;
}

static size_t list_frames(const struct place_reading *reading, size_t innermost,
			  const struct wire_code_lines *lines,
			  struct placed_frame *frames, size_t room)
{
	const uint32_t *methods = (const void *)(lines + 1);
	size_t count = 0;

	for (size_t at = innermost; at != 0; count++) {
		const struct read_frame *frame = &reading->frames[at - 1];

		if (frame->method >= lines->methods)
			return 0;
		if (count < room)
			frames[count] = (struct placed_frame){
				.method = methods[frame->method],
				.bytecode =
					frame->bytecode - 1 < WIRE_BYTECODE_NONE
						? (uint32_t)frame->bytecode - 1
						: WIRE_BYTECODE_NONE,
			};
		at = frame->caller;
	}
	return count;
}

size_t code_places_frames(const struct wire_code_lines *lines, uint64_t offset,
			  struct placed_frame *frames, size_t room)
{
	const uint8_t *bytes = (const void *)(lines + 1);
	struct place_reading reading = {
		.at = bytes + lines->methods * sizeof(uint32_t),
		.end = bytes + lines->bytes,
		.frames = memory_zeroed(lines->bytes + 1,
					sizeof(*reading.frames)),
	};
	uint64_t end = 0;
	size_t frame = 0, count = 0;
	int is_there = 0;

	while (!is_there && !reading.is_bad && reading.at < reading.end) {
		end += take_place(&reading, &frame);
		is_there = !reading.is_bad && offset <= end;
	}
	if (is_there)
		count = list_frames(&reading, frame, lines, frames, room);
	free(reading.frames);
	return count;
}
