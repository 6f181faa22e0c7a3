/* SPDX-License-Identifier: MIT */
/*
 * See past_calls.h. Each context in the packet contains the id of its innermost
 * function (wire_packet_begin.id). The ids of the following calls are computed
 * from it as stubs compute them (wire/id.h). Threads of this process have
 * written the packet, so its words are not checked. But a context may be
 * incomplete, if a signal handler has jumped out of the code that was writing
 * it.
 */
#include "preload/record/past_calls.h"

#include <errno.h>
#include <stddef.h>

#include "preload/hot/count.h"
#include "preload/hot/record.h"
#include "preload/hot/thread.h"
#include "preload/sys/sys.h"
#include "wire/id.h"

/*
 * The maximum depth of calls in a packet: the functions of its first context,
 * plus one call for each word.
 */
#define DEPTH_MAX (WIRE_PACKET_FUNCTIONS + WIRE_PACKET_BYTES / 4)

/*
 * The functions that run at the present word of the packet, by depth, and the
 * id outside of them.
 */
struct past_depths {
	uint64_t ids[DEPTH_MAX + 1];
	uint32_t places[DEPTH_MAX + 1];
};

struct past {
	const struct wire_packet_blocks *blocks;
	struct past_depths *at;
	uint32_t depth;
	uint8_t is_known; /* the context of calls is known */
};

/*
 * Records the functions of a context, outer functions first, so that the caller
 * of each is already recorded.
 */
static void record_context(const struct past *past, const uint32_t *functions,
			   uint32_t count)
{
	union note above = tally_note(hot.tally, past->at->ids[0]);

	for (uint32_t i = 0; i < count; i++) {
		const uint64_t id = past->at->ids[i + 1];
		union note note = tally_note(hot.tally, id);

		if (!note.word && id != ID_ROOT) {
			note.function = functions[count - 1 - i];
			note.depth = above.depth + 1;
			if (!record_caller(id, note))
				return;
		}
		above = note;
	}
}

static void take_context(struct past *past,
			 const struct wire_packet_begin *begin, uint32_t words)
{
	const uint32_t *functions = (const uint32_t *)(begin + 1);
	uint64_t id = (uint64_t)begin->id[1] << 32 | begin->id[0];

	past->is_known =
		begin->functions <= WIRE_PACKET_FUNCTIONS &&
		words == WIRE_PACKET_BEGIN_WORDS(begin->functions) &&
		functions[2 * begin->functions] == WIRE_PACKET_BEGIN_END;
	if (!past->is_known)
		return;
	past->depth = begin->functions;
	for (uint32_t i = 0; i < past->depth; i++) {
		past->at->ids[past->depth - i] = id;
		past->at->places[past->depth - i] = functions[past->depth + i];
		id = id_pop(id, id_key(functions[i]));
	}
	past->at->ids[0] = id;
	past->at->places[0] = WIRE_PACKET_ELSEWHERE;
	record_context(past, functions, past->depth);
}

static void take_call(struct past *past, uint32_t word, uint32_t kind)
{
	const uint32_t place = word >> WIRE_PACKET_PLACE_SHIFT;
	const uint32_t index = word & WIRE_PACKET_INDEX;
	const uint32_t block =
		past->blocks->blocks[index >> WIRE_PACKET_BLOCK_LOG2];
	uint64_t caller, id, key;

	if (!past->is_known)
		return;
	key = id_key(wire_packet_function(block, index));
	past->depth =
		wire_packet_entered(past->at->places, past->depth, place, kind);
	caller = past->at->ids[past->depth];
	id = id_push(caller, key);
	past->depth++;
	past->at->ids[past->depth] = id;
	past->at->places[past->depth] = place;
	if (id != ID_ROOT)
		count_past_call(id, caller, kind != 0);
}

static void take_return(struct past *past, uint32_t place)
{
	uint32_t depth = past->is_known ? past->depth : 0;

	while (depth && past->at->places[depth] != place)
		depth--;
	if (depth)
		past->depth = wire_packet_returned(past->at->places, depth);
}

static void take_left(struct past *past, uint32_t place)
{
	while (past->is_known && past->at->places[past->depth] < place)
		past->depth--;
}

static void take_odd(struct past *past, const uint32_t *words, uint32_t head)
{
	switch (head >> WIRE_PACKET_PLACE_SHIFT) {
	case WIRE_PACKET_BEGIN:
		take_context(past, (const void *)words,
			     head & WIRE_PACKET_ODD_WORDS);
		break;
	case WIRE_PACKET_TAIL:
	case WIRE_PACKET_TAIL_BELOW:
	case WIRE_PACKET_TAIL_OUT:
		if (words[1])
			take_call(past, words[1],
				  head >> WIRE_PACKET_PLACE_SHIFT);
		break;
	case WIRE_PACKET_LEFT:
		take_left(past, words[1]);
		break;
	case WIRE_PACKET_RETURN:
		take_return(past, words[1]);
		break;
	}
}

/*
 * Returns the thread's struct past_depths, created when its first packet is
 * counted, or NULL.
 */
static struct past_depths *depths_of(struct tally *tally)
{
	struct past_depths *made = tally->packets.past;

	if (made)
		return made;
	made = sys_map_private(sizeof(*made));
	if (sys_failed(made))
		return NULL;
	tally->packets.past = made;
	return made;
}

void past_calls_unmap(struct tally *tally)
{
	if (tally->packets.past)
		sys_munmap(tally->packets.past, sizeof(*tally->packets.past));
	tally->packets.past = NULL;
}

int past_calls_count(struct tally *tally,
		     const struct wire_packet_blocks *blocks, uint32_t *words,
		     uint32_t count)
{
	struct past past = { .blocks = blocks, .at = depths_of(tally) };
	uint32_t at = 0, head = words[0];

	if (!past.at)
		return -ENOMEM;
	*(volatile uint32_t *)words = 0;
	while (at < count) {
		const uint32_t word = at ? words[at] : head;
		uint32_t size = 1;

		if ((word & WIRE_PACKET_INDEX) >= WIRE_PACKET_ODD) {
			size = word & WIRE_PACKET_ODD_WORDS;
			if (!size || size > count - at)
				break;
			take_odd(&past, words + at, word);
		} else if (word) {
			take_call(&past, word, 0);
		}
		at += size;
	}
	return 0;
}
