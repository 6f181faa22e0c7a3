/* SPDX-License-Identifier: MIT */
/*
 * Reads a packet (wire/packet.h) as a sequence of contexts, calls and time
 * stamps.
 *
 *	packet_begin(&cursor, words, count, &blocks);
 *	while ((what = packet_next(&cursor)) != PACKET_END)
 *		...
 *
 * Depth 1 is the context's outermost function. Depth 0 stands for its callers
 * outside the context, which are known only by their id (context.id without the
 * context's functions). A call at depth d is made by the function at depth d -
 * 1; all calls at depth d or more have returned before.
 *
 * The input is not trusted: invalid words are skipped up to the next context,
 * and counted. The words must be a copy that does not change meanwhile.
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
	PACKET_CONTEXT, /* cursor.context replaces the stack */
	PACKET_CALL,    /* cursor.depth, .function, .is_tail */
	PACKET_TIME,    /* cursor.tsc: the time of a call or context */
	PACKET_MOMENT,  /* cursor.tsc: a time without a call */
	PACKET_RETURN,  /* calls deeper than cursor.depth have returned */
	PACKET_VALUE,   /* cursor.value: belongs to an active call */
};

/* Maps the block numbers of a trace to blocks of function numbers. */
struct packet_blocks {
	uint32_t count;
	/* 1 + block number; 0: none */
	uint32_t blocks[WIRE_PACKET_BLOCKS_COUNT];
};

/* A context; its arrays are words of the packet. */
struct packet_context {
	/* counts the thread's packets and contexts, from 1 on */
	uint64_t sequence;
	uint64_t id;
	const uint32_t *functions; /* numbers, innermost first */
	const uint32_t *places;    /* stack slots, innermost first */
	/* return addresses as low and high words; or NULL */
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
	uint32_t depth; /* of the call */
};

struct packet_cursor {
	const struct packet_blocks *blocks;
	const uint32_t *words;
	size_t count, at;
	struct packet_context context;
	struct packet_value value;
	uint64_t tsc; /* 0: no time stamp yet */
	/*
	 * Depth of the latest call or of the innermost active function; after
	 * PACKET_RETURN that of the function returned to.
	 */
	uint32_t depth;
	uint32_t function; /* the called function */
	uint8_t is_tail;
	uint8_t is_lost;    /* words are skipped until the next context */
	uint64_t bad_words; /* skipped words */
	/* By depth, for active calls; index 0 is not used by calls. */
	uint32_t places[PACKET_DEPTH_MAX + 1];
	uint32_t functions[PACKET_DEPTH_MAX + 1];
};

/* Starts to read `count` words, at most PACKET_WORDS_MAX. */
void packet_begin(struct packet_cursor *cursor, const uint32_t *words,
		  size_t count, const struct packet_blocks *blocks);

/*
 * Reads an entry other than a call; called by packet_next(). PACKET_END means
 * that the entry causes no event, not that the packet has ended.
 */
enum packet_event packet_next_odd(struct packet_cursor *cursor);

/*
 * Processes the word of a call. `kind` is WIRE_PACKET_TAIL... for a tail call,
 * else 0. Returns 0 if the word is invalid; all words up to the next context
 * then count as bad.
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
	/*
	 * A context written by a signal handler may already contain this call.
	 */
	if (kind == WIRE_PACKET_TAIL_BELOW && cursor->places[depth] == place &&
	    cursor->functions[depth] == cursor->function)
		depth--;
	cursor->depth = depth + 1;
	cursor->places[depth + 1] = place;
	cursor->functions[depth + 1] = cursor->function;
	return 1;
}

/*
 * Returns the return address of the call that packet_next() returned last; 0 if
 * it was not recorded.
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
