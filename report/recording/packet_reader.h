/* SPDX-License-Identifier: MIT */
/*
 * Reads a packet (wire/packet.h) as a sequence of contexts, calls and time
 * stamps.
 *
 *	packet_begin(&cursor, words, count, &blocks);
 *	while ((what = packet_next(&cursor)) != PACKET_END)
 *		...
 *
 * The outermost function of the context has depth 1. Depth 0 stands for all
 * callers outside of the context, of which only the id is known (context.id
 * after id_pop() of all functions of the context). A call at depth d is made by
 * the function at depth d - 1, and all earlier calls at depth d or greater have
 * returned.
 *
 * The words may have any values: from an invalid word on, all words up to the
 * next context are skipped and counted. The words must not change while they
 * are read, so the caller copies them before.
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
	/* A new context in cursor.context, which replaces all active calls. */
	PACKET_CONTEXT,
	PACKET_CALL, /* a call, in cursor.depth, .function and .is_tail */
	/* cursor.tsc is the time of the preceding call or context */
	PACKET_TIME,
	PACKET_MOMENT, /* cursor.tsc is a time between two calls */
	PACKET_RETURN, /* calls deeper than cursor.depth have returned */
	PACKET_VALUE,  /* cursor.value is a value of an active call */
};

/*
 * The blocks of function numbers of a trace, by the high bits of a call's index
 * (struct wire_packet_blocks).
 */
struct packet_blocks {
	uint32_t count;
	/* 1 + the number of each block, or 0 */
	uint32_t blocks[WIRE_PACKET_BLOCKS_COUNT];
};

/* A context; its arrays are words of the packet. */
struct packet_context {
	/* Number of the context among those of its tally, from 1 on. */
	uint64_t sequence;
	uint64_t id;
	const uint32_t *functions; /* numbers, innermost first */
	const uint32_t *places;    /* stack slots, innermost first */
	/* return addresses as low and high words, or NULL */
	const uint32_t *sites;
	uint32_t count;
	uint32_t tid;
	enum wire_packet_cause cause;
};

/* A value of a call that a probe recorded. */
struct packet_value {
	const struct wire_packet_value *wire;
	uint64_t number;
	const char *string; /* the bytes after it, if it is a string */
	uint32_t string_bytes;
	uint32_t depth; /* depth of the call to which the value belongs */
};

struct packet_cursor {
	const struct packet_blocks *blocks;
	const uint32_t *words;
	size_t count, at;
	struct packet_context context;
	struct packet_value value;
	uint64_t tsc; /* time stamp; 0 if there was none yet */
	/*
	 * Depth of the innermost active function: after PACKET_CALL of the
	 * called function, after PACKET_RETURN of the function to which the
	 * call has returned.
	 */
	uint32_t depth;
	uint32_t function; /* the called function */
	uint8_t is_tail;
	/*
	 * Whether the context is unknown. Words are then skipped until the next
	 * context.
	 */
	uint8_t is_lost;
	uint64_t bad_words; /* skipped words */
	/*
	 * Places and functions of the active calls by their depth; [0] belongs
	 * to no call.
	 */
	uint32_t places[PACKET_DEPTH_MAX + 1];
	uint32_t functions[PACKET_DEPTH_MAX + 1];
};

/*
 * Begins to read a packet of `count` words, at most PACKET_WORDS_MAX. `words`
 * and `blocks` must exist as long as the cursor.
 */
void packet_begin(struct packet_cursor *cursor, const uint32_t *words,
		  size_t count, const struct packet_blocks *blocks);

/*
 * Called by packet_next(): reads an item that is not a call. Here PACKET_END
 * means that the item is no event for the caller.
 */
enum packet_event packet_next_odd(struct packet_cursor *cursor);

/*
 * Handles the word of a call. `kind` is WIRE_PACKET_TAIL... for a tail call,
 * otherwise 0. Returns 1, or 0 if the word is invalid or the context is
 * unknown. After 0, all words up to the next context are skipped, and those of
 * calls are counted as bad.
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
	cursor->depth = depth + 1;
	cursor->places[depth + 1] = place;
	cursor->functions[depth + 1] = cursor->function;
	return 1;
}

/*
 * Returns the return address of the call that packet_next() has just returned;
 * 0 if it is not recorded.
 */
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
