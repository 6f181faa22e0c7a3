/* SPDX-License-Identifier: MIT */
/*
 * Writes a trace of random calls of several threads as the runtime would. The
 * number of calls in each context is known. Any number of workers must find it,
 * in any order of packets.
 */
#include "tests/unit/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/idmap.h"
#include "report/merge/packet_counter.h"
#include "report/merge/packet_counts.h"
#include "tests/unit/drawn.h"
#include "wire/id.h"
#include "wire/recording.h"

#define TALLIES   3
#define PACKETS   40
#define DEPTH_MAX 300
#define FUNCTIONS 20
#define WORDS_MAX ((WIRE_PACKET_BYTES - sizeof(struct wire_chunk)) / 4)

struct writer {
	uint64_t ids[DEPTH_MAX + 1];
	uint32_t functions[DEPTH_MAX + 1];
	uint32_t depth;
	uint64_t sequence;
	uint64_t tsc, first_tsc, last_tsc; /* times of its stamps */
	struct idmap calls, tails;
	uint64_t count;
};

static uint8_t *file;
static size_t file_bytes;
static struct writer writers[TALLIES];
/* Returns the slot of a call at this depth; each frame has three slots. */
static uint32_t place_of(uint32_t depth)
{
	return WIRE_PACKET_PLACES - 1 - 3 * depth;
}

static void put_head(size_t at, uint32_t kind, uint32_t owner, uint64_t bytes)
{
	struct wire_chunk *chunk = (void *)(file + at);

	chunk->kind = kind;
	chunk->owner = owner;
	chunk->bytes = bytes;
}

static void pass_time(struct writer *writer)
{
	writer->tsc += draw(1000);
	writer->last_tsc = writer->tsc;
	if (!writer->first_tsc)
		writer->first_tsc = writer->tsc;
}

static uint32_t *put_stamp(struct writer *writer, uint32_t *words)
{
	pass_time(writer);
	*words++ = wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS);
	*words++ = (uint32_t)writer->tsc;
	*words++ = (uint32_t)(writer->tsc >> 32);
	return words;
}

/* Writes the complete context that follows a full packet. */
static uint32_t *put_context(struct writer *writer, uint32_t *words)
{
	const struct wire_packet_begin begin = {
		.head = wire_packet_odd(WIRE_PACKET_BEGIN,
					WIRE_PACKET_BEGIN_WORDS(writer->depth)),
		.tid = 1,
		.tsc = { (uint32_t)writer->tsc, (uint32_t)(writer->tsc >> 32) },
		.sequence = { (uint32_t)++writer->sequence, 0 },
		.id = { (uint32_t)writer->ids[writer->depth],
			(uint32_t)(writer->ids[writer->depth] >> 32) },
		.cause = writer->sequence > 1 ? WIRE_PACKET_FULL
					      : WIRE_PACKET_FIRST,
		.functions = writer->depth,
	};

	memcpy(words, &begin, sizeof(begin));
	words += sizeof(begin) / 4;
	for (uint32_t depth = writer->depth; depth > 0; depth--)
		*words++ = writer->functions[depth];
	for (uint32_t depth = writer->depth; depth > 0; depth--)
		*words++ = place_of(depth);
	*words++ = WIRE_PACKET_BEGIN_END;
	return words;
}

static uint32_t *put_call(struct writer *writer, uint32_t *words)
{
	const int is_tail = draw(10) == 0;
	const uint32_t index = 0x400 + draw(FUNCTIONS);
	const uint32_t function = 0x7000 + (index & 0x3ff);
	const uint32_t returned = draw(50) ? draw(3) : draw(writer->depth + 1);
	uint32_t place;

	writer->depth -= returned < writer->depth ? returned : writer->depth;
	if (writer->depth < DEPTH_MAX)
		writer->depth++;
	place = place_of(writer->depth);
	writer->ids[writer->depth] =
		id_push(writer->ids[writer->depth - 1], id_key(function));
	writer->functions[writer->depth] = function;
	++*idmap_at(&writer->calls, writer->ids[writer->depth]);
	*idmap_at(&writer->tails, writer->ids[writer->depth]) +=
		(uint64_t)is_tail;
	writer->count++;
	if (draw(8) == 0) { /* its caller has grown its frame since */
		*words++ = wire_packet_odd(WIRE_PACKET_LEFT,
					   WIRE_PACKET_LEFT_WORDS);
		*words++ = place_of(writer->depth - 1) - 1;
		place--;
	}
	if (is_tail)
		*words++ = wire_packet_odd(WIRE_PACKET_TAIL,
					   WIRE_PACKET_TAIL_WORDS);
	*words++ = place << WIRE_PACKET_PLACE_SHIFT | index;
	return words;
}

static void put_packet(struct writer *writer, size_t at)
{
	uint32_t *const begin =
		(uint32_t *)(file + at + sizeof(struct wire_chunk));
	uint32_t *words;

	pass_time(writer);
	words = put_context(writer, begin);
	while ((size_t)(words - begin) < WORDS_MAX - 8) {
		words = put_call(writer, words);
		if (draw(10) == 0)
			words = put_stamp(writer, words);
	}
}

static int make_trace(void **unused)
{
	struct wire_packet_blocks *blocks;
	struct wire_header *header;
	size_t at = WIRE_HEADER_BYTES;

	(void)unused;
	file_bytes = WIRE_HEADER_BYTES + 20480 + PACKETS * WIRE_PACKET_BYTES;
	file = calloc(1, file_bytes);
	header = (void *)file;
	memcpy(header->magic, WIRE_MAGIC, sizeof(header->magic));
	header->version = WIRE_VERSION;
	header->header_bytes = WIRE_HEADER_BYTES;
	header->end = file_bytes;
	put_head(at, WIRE_PACKET_BLOCKS, 0, 20480);
	blocks = (void *)(file + at + sizeof(struct wire_chunk));
	blocks->count = 2;
	blocks->blocks[1] = (0x7000 >> WIRE_PACKET_BLOCK_LOG2) + 1;
	at += 20480;
	for (int i = 0; i < PACKETS; i++, at += WIRE_PACKET_BYTES) {
		put_head(at, WIRE_PACKET, (uint32_t)i % TALLIES,
			 WIRE_PACKET_BYTES);
		put_packet(&writers[i % TALLIES], at);
	}
	return 0;
}

static int drop_trace(void **unused)
{
	(void)unused;
	free(file);
	for (int i = 0; i < TALLIES; i++) {
		idmap_fini(&writers[i].calls);
		idmap_fini(&writers[i].tails);
	}
	return 0;
}

static void open_it(struct trace *trace)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);
	char path[32], *why;

	assert_int_equal(write(fd, file, file_bytes), file_bytes);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(trace_open(trace, path, &why), 0);
	close(fd);
}

/* Sums the ticks of all contexts of a tally. */
static uint64_t ticks_of(const struct packet_counts *counts, uint32_t tally)
{
	uint64_t ticks = 0;

	for (size_t i = 0; i < (size_t)1 << counts->table.log2; i++)
		if (counts->table.entries[i].id &&
		    counts->table.entries[i].tally == tally)
			ticks += counts->table.entries[i].ticks;
	return ticks;
}

/* Checks that all time up to the last stamp belongs to contexts. */
static void compare_times(const struct packet_counts *counts)
{
	uint64_t ticks = 0;

	for (uint32_t i = 0; i < TALLIES; i++) {
		assert_int_equal(ticks_of(counts, i),
				 writers[i].last_tsc - writers[i].first_tsc);
		ticks += ticks_of(counts, i);
	}
	assert_int_equal(counts->ticks, ticks);
	assert_false(counts->has_returns);
}

/* Compares all contexts of a tally. Returns their number. */
static size_t compare(const struct packet_counts *counts, uint32_t tally)
{
	const struct writer *writer = &writers[tally];
	size_t found = 0;

	for (size_t i = 0; i < (size_t)1 << writer->calls.log2; i++) {
		const struct idmap_entry *known = &writer->calls.entries[i];
		const struct packet_count *entry;

		if (!known->id)
			continue;
		entry = packet_counts_find(counts, known->id, tally);
		assert_non_null(entry);
		assert_int_equal(entry->calls, known->value);
		assert_int_equal(entry->tails,
				 *idmap_find(&writer->tails, known->id));
		found++;
	}
	return found;
}

static void check(const struct trace *trace, const struct taken *taken,
		  unsigned int workers, const size_t *order)
{
	struct packet_counts counts;
	uint64_t calls = 0;
	size_t found = 0;

	packet_counts_init(&counts, trace, taken, workers, order, 1);
	if (!taken)
		compare_times(&counts);
	for (uint32_t i = 0; i < TALLIES; i++) {
		calls += writers[i].count;
		found += compare(&counts, i);
	}
	assert_int_equal(counts.table.used, found);
	assert_int_equal(counts.calls, calls);
	assert_int_equal(counts.bad_words, 0);
	assert_int_equal(counts.mismatched, 0);
	assert_true(taken || counts.verified == PACKETS - TALLIES);
	packet_counts_fini(&counts);
}

static void any_number_of_workers_finds_the_same(void **unused)
{
	struct trace trace;

	(void)unused;
	open_it(&trace);
	assert_int_equal(trace.count, PACKETS);
	for (unsigned int workers = 1; workers <= 8; workers *= 2)
		check(&trace, NULL, workers, NULL);
	trace_close(&trace);
}

static void packets_may_arrive_in_any_order(void **unused)
{
	size_t order[PACKETS];
	struct trace trace;

	(void)unused;
	open_it(&trace);
	for (size_t i = 0; i < PACKETS; i++)
		order[i] = i;
	for (unsigned int round = 0; round < 10; round++) {
		shuffle(order, PACKETS);
		check(&trace, NULL, 1u << round % 4, order);
	}
	trace_close(&trace);
}

/*
 * Creates the file that workers of `clew record` leave if they have counted two
 * of three packets.
 */
static void take_some(struct taken *taken, const struct trace *trace)
{
	struct packet_counter counter;
	uint32_t words[PACKET_WORDS_MAX];

	packet_counter_init(&counter);
	*taken = (struct taken){
		.packets = calloc(PACKETS, sizeof(*taken->packets)),
	};
	for (size_t i = 0; i < trace->count; i++) {
		const struct trace_packet *packet = &trace->packets[i];
		struct packet_cursor cursor;

		if (i % 3 == 0)
			continue;
		packet_begin(&cursor, words,
			     trace_read(trace, trace->fd, packet, words),
			     trace->blocks);
		packet_counter_take(&counter, &cursor, packet->tally);
		taken->packets[taken->packet_count++] =
			(struct wire_taken_packet){
				.offset = packet->offset,
				.sequence = packet->sequence,
			};
	}
	taken->counts = calloc(counter.table.used, sizeof(*taken->counts));
	for (size_t i = 0; i < (size_t)1 << counter.table.log2; i++) {
		const struct packet_count *entry = &counter.table.entries[i];

		if (entry->id)
			taken->counts[taken->count_count++] =
				(struct wire_taken_count){
					.id = entry->id,
					.calls = entry->calls,
					.tails = entry->tails,
					.tally = entry->tally,
					.function = entry->function,
				};
	}
	taken->calls = counter.calls;
	packet_counter_fini(&counter);
}

static int by_offset(const void *a, const void *b)
{
	const struct wire_taken_packet *one = a, *other = b;

	return one->offset < other->offset ? -1 : one->offset > other->offset;
}

static void packets_that_were_taken_before_count_once(void **unused)
{
	size_t order[PACKETS];
	struct taken taken;
	struct trace trace;

	(void)unused;
	open_it(&trace);
	take_some(&taken, &trace);
	qsort(taken.packets, taken.packet_count, sizeof(*taken.packets),
	      by_offset);
	for (size_t i = 0; i < PACKETS; i++)
		order[i] = i;
	for (unsigned int round = 0; round < 8; round++) {
		shuffle(order, PACKETS);
		check(&trace, &taken, 1u << round % 4, order);
	}
	taken_close(&taken);
	trace_close(&trace);
}

/*
 * A writer has reused the slot: its new packet was not counted.
 */
static void a_packet_in_the_place_of_one_that_was_taken_counts(void **unused)
{
	struct wire_taken_packet packets[] = { { .offset = 100, .sequence = 4 },
					       { .offset = 300,
						 .sequence = 6 } };
	const struct taken taken = { .packets = packets, .packet_count = 2 };

	(void)unused;
	assert_true(taken_has(&taken, 100, 4));
	assert_true(taken_has(&taken, 100, 3));
	assert_false(taken_has(&taken, 100, 5));
	assert_true(taken_has(&taken, 300, 6));
	assert_false(taken_has(&taken, 300, 7));
	assert_false(taken_has(&taken, 200, 1));
	assert_false(taken_has(&taken, 400, 1));
	assert_false(taken_has(NULL, 100, 1));
}

static void a_packet_without_a_successor_is_reported(void **unused)
{
	struct packet_counts counts;
	struct trace trace;

	(void)unused;
	open_it(&trace);
	trace.packets[3].id ^= 1;
	packet_counts_init(&counts, &trace, NULL, 2, NULL, 0);
	assert_int_equal(counts.mismatched, 1);
	packet_counts_fini(&counts);
	trace_close(&trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_number_of_workers_finds_the_same),
		cmocka_unit_test(packets_may_arrive_in_any_order),
		cmocka_unit_test(packets_that_were_taken_before_count_once),
		cmocka_unit_test(
			a_packet_in_the_place_of_one_that_was_taken_counts),
		cmocka_unit_test(a_packet_without_a_successor_is_reported),
	};

	return cmocka_run_group_tests(tests, make_trace, drop_trace);
}
