/* SPDX-License-Identifier: MIT */
/* See packet_reader.h. */
#include "report/recording/packet_reader.h"

#include <string.h>

static uint64_t word_of(const uint32_t halves[2])
{
	return (uint64_t)halves[1] << 32 | halves[0];
}

void packet_begin(struct packet_cursor *cursor, const uint32_t *words,
		  size_t count, const struct packet_blocks *blocks)
{
	memset(cursor, 0, offsetof(struct packet_cursor, places));
	cursor->blocks = blocks;
	cursor->words = words;
	cursor->count = count < PACKET_WORDS_MAX ? count : PACKET_WORDS_MAX;
	cursor->is_lost = 1;
	cursor->places[0] = WIRE_PACKET_ELSEWHERE;
}

/* Returns whether a context of `count` words is complete and valid. */
static int is_context(const uint32_t *words, uint32_t count)
{
	const struct wire_packet_begin *begin = (const void *)words;

	return count >= WIRE_PACKET_BEGIN_WORDS(0) &&
	       begin->functions <= WIRE_PACKET_FUNCTIONS &&
	       count == WIRE_PACKET_BEGIN_WORDS(begin->functions) &&
	       words[count - 1] == WIRE_PACKET_BEGIN_END &&
	       begin->cause <= WIRE_PACKET_MOVED;
}

/*
 * Returns whether a context was begun, for which the maximum number of words is
 * claimed, and was not completed, because the thread ended or a signal handler
 * jumped away meanwhile. The context of the calls that follow is then unknown.
 */
static int is_unfinished(const uint32_t *words, uint32_t count)
{
	const uint32_t longest = WIRE_PACKET_BEGIN_WORDS(WIRE_PACKET_FUNCTIONS);

	return (count == longest ||
		count == longest + WIRE_PACKET_SITES_WORDS(
					   WIRE_PACKET_FUNCTIONS)) &&
	       words[longest - 1] != WIRE_PACKET_BEGIN_END;
}

/*
 * Returns whether the packet ends before the last word of a context of `count`
 * words, because the packet was copied while its thread wrote the context
 * (trace_reader.c). `left` words are left in the packet.
 */
static int is_cut_off(const uint32_t *words, uint32_t count, size_t left)
{
	size_t at = count - 1;

	while (at < left && !words[at])
		at++;
	return at == left;
}

/*
 * Returns the return addresses of a context with this number of functions, if
 * they follow at the cursor; otherwise NULL.
 */
static const uint32_t *sites_of(const struct packet_cursor *cursor,
				uint32_t functions)
{
	const uint32_t *words = cursor->words + cursor->at;
	const uint32_t count = WIRE_PACKET_SITES_WORDS(functions);

	return cursor->count - cursor->at >= count &&
			       words[0] ==
				       wire_packet_odd(WIRE_PACKET_SITES, count)
		       ? words + 1
		       : NULL;
}

static void take_context(struct packet_cursor *cursor, const uint32_t *words)
{
	const struct wire_packet_begin *begin = (const void *)words;

	const uint32_t count = begin->functions;

	cursor->context = (struct packet_context){
		.sequence = word_of(begin->sequence),
		.id = word_of(begin->id),
		.functions = (const uint32_t *)(begin + 1),
		.places = (const uint32_t *)(begin + 1) + count,
		.sites = sites_of(cursor, count),
		.count = count,
		.tid = begin->tid,
		.cause = begin->cause,
	};
	for (uint32_t i = 0; i < count; i++) {
		cursor->places[count - i] = cursor->context.places[i];
		cursor->functions[count - i] = cursor->context.functions[i];
	}
	cursor->depth = count;
	cursor->is_lost = 0;
	if (word_of(begin->tsc) > cursor->tsc)
		cursor->tsc = word_of(begin->tsc);
}

/*
 * Stores a time stamp in cursor->tsc. Time stamps never decrease: one that is
 * less than the former was written only half and is ignored. Returns whether it
 * was stored.
 */
static int take_stamp(struct packet_cursor *cursor, const uint32_t *words)
{
	const uint64_t tsc = word_of(words);

	if (tsc < cursor->tsc)
		return 0;
	cursor->tsc = tsc;
	return 1;
}

static int take_tail(struct packet_cursor *cursor, uint32_t word, uint32_t kind)
{
	if ((word & WIRE_PACKET_INDEX) >= WIRE_PACKET_ODD || !word) {
		cursor->bad_words += word != 0;
		return 0;
	}
	cursor->is_tail = 1;
	return packet_take_call(cursor, word, kind);
}

/*
 * Returns the depth of the innermost active call at this place; 0 if there is
 * none in the context.
 */
static uint32_t depth_at(const struct packet_cursor *cursor, uint32_t place)
{
	uint32_t depth = cursor->depth;

	while (depth && cursor->places[depth] != place)
		depth--;
	return depth;
}

/*
 * Handles a return. Ignores one of a function outside of the context. Returns
 * whether there is an event.
 */
static int take_return(struct packet_cursor *cursor, const uint32_t *words)
{
	const uint32_t depth = depth_at(cursor, words[0]);

	if (cursor->is_lost || !depth || !take_stamp(cursor, words + 1))
		return 0;
	cursor->depth = wire_packet_returned(cursor->places, depth);
	return 1;
}

/*
 * Removes the calls below this place, which have returned. This is no event,
 * because all readers get the new depth from the next call.
 */
static void take_left(struct packet_cursor *cursor, uint32_t place)
{
	while (cursor->places[cursor->depth] < place)
		cursor->depth--;
}

static int take_value(struct packet_cursor *cursor, const uint32_t *words,
		      uint32_t count)
{
	const struct wire_packet_value *wire = (const void *)words;
	const uint32_t depth = depth_at(cursor, wire->place);

	if (cursor->is_lost || wire->out >= depth)
		return 0;
	cursor->value = (struct packet_value){
		.wire = wire,
		.number = word_of(wire->number),
		.string = (const char *)(wire + 1),
		.string_bytes = 4 * count - (uint32_t)sizeof(*wire),
		.depth = depth - wire->out,
	};
	return 1;
}

enum packet_event packet_next_odd(struct packet_cursor *cursor)
{
	const uint32_t *words = cursor->words + cursor->at;
	const uint32_t count = words[0] & WIRE_PACKET_ODD_WORDS;
	const size_t left = cursor->count - cursor->at;

	if (count == 0 || count > left) {
		cursor->bad_words++;
		cursor->is_lost = 1;
		cursor->at++;
		return PACKET_END;
	}
	cursor->at += count;
	switch (words[0] >> WIRE_PACKET_PLACE_SHIFT) {
	case WIRE_PACKET_BEGIN:
		if (is_context(words, count)) {
			take_context(cursor, words);
			return PACKET_CONTEXT;
		}
		cursor->is_lost = 1;
		if (!is_unfinished(words, count) &&
		    !is_cut_off(words, count, left))
			cursor->bad_words += count;
		break;
	case WIRE_PACKET_TAIL:
	case WIRE_PACKET_TAIL_BELOW:
	case WIRE_PACKET_TAIL_OUT:
		if (count == WIRE_PACKET_TAIL_WORDS &&
		    take_tail(cursor, words[1],
			      words[0] >> WIRE_PACKET_PLACE_SHIFT))
			return PACKET_CALL;
		break;
	case WIRE_PACKET_STAMP:
		if (count == WIRE_PACKET_STAMP_WORDS &&
		    take_stamp(cursor, words + 1))
			return PACKET_TIME;
		break;
	case WIRE_PACKET_MOMENT:
		if (count == WIRE_PACKET_MOMENT_WORDS &&
		    take_stamp(cursor, words + 1))
			return PACKET_MOMENT;
		break;
	case WIRE_PACKET_RETURN:
		if (count == WIRE_PACKET_RETURN_WORDS &&
		    take_return(cursor, words + 1))
			return PACKET_RETURN;
		break;
	case WIRE_PACKET_LEFT:
		if (count == WIRE_PACKET_LEFT_WORDS)
			take_left(cursor, words[1]);
		break;
	case WIRE_PACKET_VALUE:
		if (4 * count >= sizeof(struct wire_packet_value) &&
		    take_value(cursor, words, count))
			return PACKET_VALUE;
		break;
	}
	return PACKET_END;
}
