/* SPDX-License-Identifier: MIT */
/* See trace.h. */
#include "preload/record/trace.h"

#include <errno.h>

#include "preload/hot/runtime.h"
#include "preload/record/handed_packets.h"
#include "preload/record/numbers.h"
#include "preload/record/past_calls.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/sys.h"

#define PAYLOAD_BYTES (WIRE_PACKET_BYTES - sizeof(struct wire_chunk))
/* each thread may have this many packets, whatever the limits */
#define OWN_MIN 2
/* first size of the array of packets' addresses: one page */
#define ROOM_FIRST    512
#define ADDRESS_BYTES sizeof(struct wire_chunk *)

#define BLOCKS        (UINT32_C(1) << (32 - WIRE_PACKET_BLOCK_LOG2))
#define BLOCK_MASK    ((UINT32_C(1) << WIRE_PACKET_BLOCK_LOG2) - 1)

/*
 * For each block of function numbers its index in wire_packet_blocks, or 0.
 * Exists only in processes that record a trace. Written by the thread that has
 * the turn (hooking_turn.h), read by any thread, and inherited by children.
 */
static _Atomic uint16_t *places;

static int make_places(void)
{
	void *made;

	if (places)
		return 0;
	made = sys_map_private(BLOCKS * sizeof(*places));
	if (sys_failed(made))
		return -ENOMEM;
	places = made;
	return 0;
}

void trace_forget_functions(void)
{
	const uint64_t bytes = BLOCKS * sizeof(*places);

	if (places && sys_madvise((void *)places, bytes, MADV_DONTNEED))
		fill_zero((void *)places, bytes); /* it is locked */
}

int trace_create(struct trace_file *trace, const struct part *part)
{
	struct chunk chunk;
	int err = make_places();

	if (!err)
		err = part_create_beside(&trace->part, part, WIRE_TRACE_SUFFIX);
	if (err)
		return err;
	err = part_alloc(&trace->part, WIRE_PACKET_BLOCKS, 0,
			 sizeof(*trace->blocks), &chunk);
	if (err) {
		part_discard(&trace->part);
		return err;
	}
	trace->blocks = chunk_payload(&chunk);
	trace->blocks->count = 1; /* index 0 is unused */
	trace->blocks->least_ns = trace->least_ns;
	trace->blocks->overflow = trace->overflow;
	trace->blocks->keeps = trace->keeps;
	if (trace->part.file.is_private)
		/* workers cannot read a part without a file */
		trace->has_workers = 0;
	return 0;
}

/* Skips blocks that the parent has added since the fork. */
static void copy_blocks(struct wire_packet_blocks *to,
			const struct wire_packet_blocks *from)
{
	uint32_t count = from->count;

	for (uint32_t i = 1; i < count; i++)
		if (from->blocks[i] &&
		    atomic_load(&places[from->blocks[i] - 1]) == i)
			to->blocks[i] = from->blocks[i];
	to->refused = from->refused;
	atomic_store_explicit(&to->count, count, memory_order_release);
}

void trace_after_fork(struct trace_file *trace, const struct part *part)
{
	/*
	 * Static, as it is too large for the stack; the child has one thread.
	 */
	static struct part parent;
	const struct wire_packet_blocks *blocks = trace->blocks;

	if (!trace->part.header)
		return;
	copy_bytes(&parent, &trace->part, sizeof(parent));
	fill_zero(&trace->part, sizeof(trace->part));
	trace->blocks = NULL;
	atomic_store(&trace->used_bytes, 0);
	if (trace_create(trace, part))
		part_create_nowhere(&trace->part);
	else
		copy_blocks(trace->blocks, blocks);
	part_abandon(&parent, 0);
}

void trace_finish(struct trace_file *trace)
{
	if (trace->part.header)
		part_finish(&trace->part);
}

void trace_unmap(struct trace_file *trace)
{
	part_file_unmap(&trace->part.file, 0);
}

void trace_unmap_packets(struct tally *tally)
{
	struct tally_packets *packets = &tally->packets;

	if (packets->room)
		sys_munmap(packets->chunks, packets->room * ADDRESS_BYTES);
	packets->room = packets->count = 0;
}

uint32_t trace_known_index(uint32_t function)
{
	const uint32_t place = atomic_load_explicit(
		&places[function >> WIRE_PACKET_BLOCK_LOG2],
		memory_order_relaxed);

	return place ? place << WIRE_PACKET_BLOCK_LOG2 | (function & BLOCK_MASK)
		     : 0;
}

uint32_t trace_index(struct trace_file *trace, uint32_t function)
{
	const uint32_t block = function >> WIRE_PACKET_BLOCK_LOG2;
	struct wire_packet_blocks *blocks = trace->blocks;
	uint32_t place;

	if (!blocks)
		return 0;
	if (!atomic_load(&places[block])) {
		place = blocks->count;
		if (place >= WIRE_PACKET_BLOCKS_COUNT) {
			blocks->refused++;
			return 0;
		}
		blocks->blocks[place] = block + 1;
		atomic_store_explicit(&blocks->count, place + 1,
				      memory_order_release);
		atomic_store(&places[block], (uint16_t)place);
	}
	return trace_known_index(function);
}

/* ---- Packets ---- */

/* Makes room for the address of another packet. Returns 0 or -ENOMEM. */
static int grow(struct tally_packets *packets)
{
	const uint32_t room = packets->room ? 2 * packets->room : ROOM_FIRST;
	struct wire_chunk **grown;

	if (packets->count < packets->room)
		return 0;
	grown = sys_map_private(room * ADDRESS_BYTES);
	if (sys_failed(grown))
		return -ENOMEM;
	copy_bytes(grown, packets->chunks, packets->count * ADDRESS_BYTES);
	if (packets->room)
		sys_munmap(packets->chunks, packets->room * ADDRESS_BYTES);
	packets->chunks = grown;
	packets->room = room;
	return 0;
}

static int may_grow(struct trace_file *trace,
		    const struct tally_packets *packets)
{
	const uint64_t own = (packets->count + UINT64_C(1)) * WIRE_PACKET_BYTES;

	if (packets->cannot_grow)
		return 0;
	return packets->count < OWN_MIN ||
	       (own <= trace->thread_bytes &&
		trace->used_bytes + WIRE_PACKET_BYTES <= trace->most_bytes);
}

static struct wire_chunk *add_packet(struct trace_file *trace,
				     struct tally *tally)
{
	struct tally_packets *packets = &tally->packets;
	struct chunk chunk;

	if (grow(packets) || part_alloc(&trace->part, WIRE_PACKET,
					tally->number, PAYLOAD_BYTES, &chunk)) {
		packets->cannot_grow = 1;
		return NULL;
	}
	atomic_fetch_add(&trace->used_bytes, WIRE_PACKET_BYTES);
	packets->chunks[packets->count++] = chunk.head;
	return chunk.head;
}

/*
 * Zeroes a packet. The first word is zeroed first, so that a concurrent reader
 * sees that the packet has no context any more.
 */
static void clear(struct wire_chunk *chunk)
{
	uint32_t *words = (uint32_t *)(chunk + 1);

	*(volatile uint32_t *)words = 0;
	fill_zero(words, PAYLOAD_BYTES);
}

/*
 * Counts the calls of a packet that is about to be reused, if the options
 * request it.
 */
static void end_packet(struct trace_file *trace, struct tally *tally,
		       struct wire_chunk *chunk)
{
	uint32_t *words = (uint32_t *)(chunk + 1);
	const int is_counted =
		trace->overflow != WIRE_OVERFLOW_DROP &&
		past_calls_count(tally, trace->blocks, words,
				 PAYLOAD_BYTES / sizeof(*words)) == 0;

	atomic_fetch_add_explicit(is_counted ? &trace->blocks->counted
					     : &trace->blocks->dropped,
				  1, memory_order_relaxed);
}

static struct wire_chunk *use_oldest_again(struct trace_file *trace,
					   struct tally *tally)
{
	struct tally_packets *packets = &tally->packets;
	struct wire_chunk *chunk = packets->chunks[packets->oldest];

	end_packet(trace, tally, chunk);
	clear(chunk);
	packets->oldest = (packets->oldest + 1) % packets->count;
	return chunk;
}

/*
 * Returns a packet of the thread that can be reused: one whose calls a worker
 * has counted, or one that no worker has taken and whose calls this function
 * counts. If workers return none, returns a new packet, or NULL.
 */
static struct wire_chunk *use_handed_again(struct trace_file *trace,
					   struct tally *tally)
{
	struct wire_chunk *chunk;

	switch (handed_packets_find(trace, &tally->packets, &chunk)) {
	case HANDED_COUNTED:
		clear(chunk);
		atomic_fetch_add_explicit(&trace->blocks->handed_over, 1,
					  memory_order_relaxed);
		return chunk;
	case HANDED_BACK:
		end_packet(trace, tally, chunk);
		clear(chunk);
		return chunk;
	case HANDED_NONE:
		break;
	}
	/*
	 * Workers hold all packets and do not return them. Those packets stay
	 * as they are.
	 */
	return runtime_is_filtered() ? NULL : add_packet(trace, tally);
}

uint32_t *trace_take(struct trace_file *trace, struct tally *tally)
{
	struct tally_packets *packets = &tally->packets;
	struct wire_chunk *chunk = NULL;

	if (!trace->blocks)
		return NULL;
	if (trace->has_workers)
		handed_packets_give(trace, packets);
	if (may_grow(trace, packets) && !runtime_is_filtered())
		chunk = add_packet(trace, tally);
	if (!chunk && packets->count)
		chunk = trace->has_workers ? use_handed_again(trace, tally)
					   : use_oldest_again(trace, tally);
	packets->left = packets->newest;
	packets->newest = chunk;
	return chunk ? (uint32_t *)(chunk + 1) : NULL;
}

/*
 * Returns the end of the words that were written. Zeros alone do not mark the
 * end, because a record other than a call may end in zeros.
 */
static uint32_t *find_end(uint32_t *words, const uint32_t *end)
{
	uint32_t *last = words, *at = words;

	while (at < end) {
		uint32_t size = 1;

		if ((*at & WIRE_PACKET_INDEX) >= WIRE_PACKET_ODD)
			size = *at & WIRE_PACKET_ODD_WORDS;
		if (!size || size > end - at)
			size = 1;
		if (*at)
			last = at + size;
		at += size;
	}
	return last;
}

uint32_t *trace_resume(struct tally *tally, uint64_t *end)
{
	uint32_t *words;

	if (!tally->packets.newest)
		return NULL;
	words = (uint32_t *)(tally->packets.newest + 1);
	*end = (uintptr_t)words + PAYLOAD_BYTES;
	return find_end(words, words + PAYLOAD_BYTES / sizeof(*words));
}
