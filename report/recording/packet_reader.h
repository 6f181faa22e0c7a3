/* SPDX-License-Identifier: MIT */
/*
 * What a packet says (wire/packet.h): contexts, calls and moments, in their order.
 *
 *	packet_begin(&cursor, words, count, &blocks);
 *	while ((what = packet_next(&cursor)) != PACKET_END)
 *		...
 *
 * Depths count from the context's outermost function, which is at depth 1; what
 * is around that is at depth 0, and known by its id (context.id, less all
 * functions). A call at depth d is made by what is at depth d - 1, and whatever
 * was at depth d or more has returned before.
 *
 * Nothing is believed: what cannot be is passed over, up to the next context, and
 * counted. The words must not change meanwhile: they are a copy.
 */
#ifndef CLEW_RECORDING_PACKET_READER_H
#define CLEW_RECORDING_PACKET_READER_H

#include <stddef.h>
#include <stdint.h>

#include "wire/packet.h"

#define PACKET_WORDS_MAX (WIRE_PACKET_BYTES / 4)
#define PACKET_DEPTH_MAX (WIRE_PACKET_FUNCTIONS + PACKET_WORDS_MAX)

enum packet_event {
	PACKET_END,
	PACKET_CONTEXT, /* cursor.context: the stack is another one */
	PACKET_CALL,    /* cursor.depth, .function, .is_tail */
	PACKET_TIME,    /* cursor.tsc: it is that late; also at a context */
	PACKET_MOMENT,  /* the same, not beside a call */
	PACKET_RETURN,  /* and what was deeper than cursor.depth has returned */
	PACKET_VALUE,   /* cursor.value: of a call that is running */
};

/* Which numbers functions have. */
struct packet_blocks {
	uint32_t count;
	uint32_t blocks[WIRE_PACKET_BLOCKS_COUNT]; /* + 1; 0: none */
};

/* A context, in the packet's words. */
struct packet_context {
	uint64_t sequence; /* of the thread's packets and contexts, from 1 on */
	uint64_t id;
	const uint32_t *functions; /* numbers, innermost first */
	const uint32_t *places;    /* likewise */
	const uint32_t *sites; /* where they return to: low, high; or NULL */
	uint32_t count;
	uint32_t tid;
	enum wire_packet_cause cause;
};

/* What a probe has kept of a call. */
struct packet_value {
	const struct wire_packet_value *wire;
	uint64_t number;
	const char *string; /* what follows, if it is one */
	uint32_t string_bytes;
	uint32_t depth; /* of the call */
};

struct packet_cursor {
	const struct packet_blocks *blocks;
	const uint32_t *words;
	size_t count, at;
	struct packet_context context;
	struct packet_value value;
	uint64_t tsc;   /* 0: none was seen yet */
	uint32_t depth; /* of the call, the innermost, or who is returned to */
	uint32_t function; /* of the call */
	uint8_t is_tail;
	uint8_t is_lost;    /* until the next context */
	uint64_t bad_words; /* passed over, as they make no sense */
	/* By depth, of what is running; what is around that is no call's. */
	uint32_t places[PACKET_DEPTH_MAX + 1];
	uint32_t functions[PACKET_DEPTH_MAX + 1];
};

/* At most PACKET_WORDS_MAX words. */
void packet_begin(struct packet_cursor *cursor, const uint32_t *words,
		  size_t count, const struct packet_blocks *blocks);

/* What is no call, for packet_next(). PACKET_END: there is nothing to tell of it. */
enum packet_event packet_next_odd(struct packet_cursor *cursor);

/*
 * A call's word, which is one; `kind` of a tail call, WIRE_PACKET_TAIL..., else 0. Returns
 * 0 if it cannot be: it counts as bad, and all up to the next context.
 */
static inline int packet_take_call(struct packet_cursor *cursor, uint32_t word,
				   uint32_t kind)
{
	const uint32_t place = word >> WIRE_PACKET_PLACE_SHIFT;
	const uint32_t index = word & WIRE_PACKET_INDEX;
	const uint32_t block =
		cursor->blocks->blocks[index >> WIRE_PACKET_BLOCK_LOG2];
	uint32_t depth = cursor->depth;

	if (cursor->is_lost || !block) {
		cursor->is_lost = 1;
		cursor->bad_words++;
		return 0;
	}
	cursor->function = wire_packet_function(block, index);
	depth = wire_packet_entered(cursor->places, depth, place, kind);
	/* A context that a signal handler has written may contain it already. */
	if (kind == WIRE_PACKET_TAIL_BELOW && cursor->places[depth] == place &&
	    cursor->functions[depth] == cursor->function)
		depth--;
	cursor->depth = depth + 1;
	cursor->places[depth + 1] = place;
	cursor->functions[depth + 1] = cursor->function;
	return 1;
}

/* Where the call returns to that packet_next() has told of last; 0: it does not say. */
static inline uint64_t packet_site(const struct packet_cursor *cursor)
{
	const uint32_t *words = cursor->words + cursor->at;

	return cursor->count - cursor->at >= WIRE_PACKET_SITE_WORDS &&
			       words[0] ==
				       wire_packet_odd(WIRE_PACKET_SITE,
						       WIRE_PACKET_SITE_WORDS)
		       ? (uint64_t)words[2] << 32 | words[1]
		       : 0;
}

static inline enum packet_event packet_next(struct packet_cursor *cursor)
{
	while (cursor->at < cursor->count) {
		const uint32_t word = cursor->words[cursor->at];

		if (!word) {
			cursor->at++;
			continue;
		}
		if ((word & WIRE_PACKET_INDEX) >= WIRE_PACKET_ODD) {
			const enum packet_event event = packet_next_odd(cursor);

			if (event != PACKET_END)
				return event;
			continue;
		}
		cursor->at++;
		cursor->is_tail = 0;
		if (packet_take_call(cursor, word, 0))
			return PACKET_CALL;
	}
	return PACKET_END;
}

#endif
