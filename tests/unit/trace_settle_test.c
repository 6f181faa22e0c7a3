/* SPDX-License-Identifier: MIT */
/*
 * Tests of a trace that was copied while its process reused a packet. The copy
 * has the old packet or a part of it, and the original has the new one.
 */
#include "tests/unit/unit.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/recording/trace_reader.h"
#include "tests/unit/trace_file.h"
#include "wire/recording.h"

#define CALLS 100

static char folder[] = "/tmp/clew-settle-XXXXXX";
static char original[64], copy[64];

static void put_packet(struct trace_file *file, uint32_t tally,
		       uint64_t sequence, uint32_t function)
{
	const struct trace_file_context context = {
		.tid = 7,
		.sequence = sequence,
		.tsc = 1,
		.cause = WIRE_PACKET_FIRST,
	};

	trace_file_packet(file, tally);
	trace_file_context(file, &context);
	for (uint32_t i = 0; i < CALLS; i++)
		trace_file_call(file, 1, function);
}

static struct wire_packet_blocks *blocks_of(struct trace_file *file)
{
	return (void *)(file->bytes + sizeof(struct wire_header) +
			sizeof(struct wire_chunk));
}

/*
 * Saves two packets. The second one has this sequence number and calls this
 * function.
 */
static void save(const char *path, uint64_t sequence, uint32_t function,
		 enum wire_overflow overflow)
{
	struct trace_file file;

	trace_file_init(&file, 1, 0, 0);
	put_packet(&file, 0, 1, 1);
	put_packet(&file, 1, sequence, function);
	blocks_of(&file)->overflow = overflow;
	if (!sequence) { /* its first word, or all of it, is zero already */
		memset(file.bytes + file.packet + sizeof(struct wire_chunk), 0,
		       4);
	}
	trace_file_save(&file, path);
	trace_file_fini(&file);
}

static void settle(struct trace *settled)
{
	int from = open(original, O_RDONLY);
	char *why;

	assert_true(from >= 0);
	assert_int_equal(trace_settle(from, copy), 0);
	close(from);
	assert_int_equal(trace_open(settled, copy, &why), 0);
}

/*
 * Returns the number of calls of one function in the only packet of tally 1,
 * which must have no others.
 */
static uint32_t calls_of(const struct trace *trace, uint32_t function)
{
	static uint32_t words[PACKET_WORDS_MAX];
	struct packet_cursor cursor;
	enum packet_event event;
	uint32_t calls = 0;

	assert_int_equal(trace->packets[1].tally, 1);
	packet_begin(&cursor, words,
		     trace_read(trace, trace->fd, &trace->packets[1], words),
		     trace->blocks);
	while ((event = packet_next(&cursor)) != PACKET_END) {
		if (event != PACKET_CALL)
			continue;
		assert_int_equal(cursor.function, function);
		calls++;
	}
	assert_int_equal(cursor.bad_words, 0);
	return calls;
}

static void reused_packet_is_copied_again(void **unused)
{
	struct trace settled;

	(void)unused;
	save(copy, 3, 2, WIRE_OVERFLOW_DROP);
	save(original, 9, 5, WIRE_OVERFLOW_DROP);
	settle(&settled);
	assert_int_equal(settled.count, 2);
	assert_int_equal(settled.packets[1].sequence, 9);
	assert_int_equal(calls_of(&settled, 5), CALLS);
	assert_int_equal(settled.dropped, 1);
	trace_close(&settled);
}

/*
 * The counts, which are copied later, contain all calls of the reused packet.
 */
static void nothing_is_dropped_where_calls_are_counted_before(void **unused)
{
	struct trace settled;

	(void)unused;
	for (int overflow = WIRE_OVERFLOW_PROCESS;
	     overflow < WIRE_OVERFLOW_COUNT; overflow++) {
		save(copy, 3, 2, (enum wire_overflow)overflow);
		save(original, 9, 5, (enum wire_overflow)overflow);
		settle(&settled);
		assert_int_equal(settled.packets[1].sequence, 9);
		assert_int_equal(settled.dropped, 0);
		trace_close(&settled);
	}
}

static void packet_being_reused_is_dropped(void **unused)
{
	struct trace settled;

	(void)unused;
	save(copy, 3, 2, WIRE_OVERFLOW_DROP);
	save(original, 0, 5, WIRE_OVERFLOW_DROP);
	settle(&settled);
	assert_int_equal(settled.count, 1);
	assert_int_equal(settled.dropped, 1);
	trace_close(&settled);
}

static void unchanged_packet_stays(void **unused)
{
	struct trace settled;

	(void)unused;
	save(copy, 3, 2, WIRE_OVERFLOW_DROP);
	save(original, 3, 2, WIRE_OVERFLOW_DROP);
	settle(&settled);
	assert_int_equal(calls_of(&settled, 2), CALLS);
	assert_int_equal(settled.dropped, 0);
	trace_close(&settled);
}

/* Changes the word of a call in the packet of tally 1, from the last on. */
static void put_word_from_end(const char *path, uint32_t from_end,
			      uint32_t word)
{
	const int fd = open(path, O_RDWR);
	struct trace trace;
	char *why;
	off_t at;

	assert_int_equal(trace_open(&trace, path, &why), 0);
	at = (off_t)(trace.packets[1].offset + sizeof(struct wire_chunk)) +
	     (off_t)((WIRE_PACKET_BEGIN_WORDS(0) + CALLS - 1 - from_end) *
		     sizeof(word));
	trace_close(&trace);
	assert_int_equal(pwrite(fd, &word, sizeof(word), at), sizeof(word));
	close(fd);
}

/*
 * The copy lacks words before others, and has one of which one byte is missing.
 */
static void words_copied_while_they_were_written_are_completed(void **unused)
{
	const uint32_t half = trace_file_place(1) << WIRE_PACKET_PLACE_SHIFT;
	struct trace settled;

	(void)unused;
	save(copy, 3, 2, WIRE_OVERFLOW_DROP);
	save(original, 3, 2, WIRE_OVERFLOW_DROP);
	/* The copied words end ten calls before the end. */
	for (uint32_t i = 0; i < 10; i++)
		put_word_from_end(copy, i, 0);
	put_word_from_end(copy, 12, half);
	put_word_from_end(copy, 14, 0);
	put_word_from_end(copy, 15, 0);
	settle(&settled);
	assert_int_equal(calls_of(&settled, 2), CALLS - 10);
	assert_int_equal(settled.dropped, 0);
	trace_close(&settled);
}

/* The copy of a context ends after its first words. */
static void context_that_is_copied_in_part_is_not_damaged(void **unused)
{
	struct trace settled;

	(void)unused;
	save(copy, 3, 2, WIRE_OVERFLOW_DROP);
	save(original, 3, 2, WIRE_OVERFLOW_DROP);
	for (uint32_t i = 0; i < CALLS + WIRE_PACKET_BEGIN_WORDS(0) - 3; i++)
		put_word_from_end(copy, i, 0);
	settle(&settled);
	assert_int_equal(calls_of(&settled, 2), 0);
	trace_close(&settled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reused_packet_is_copied_again),
		cmocka_unit_test(
			nothing_is_dropped_where_calls_are_counted_before),
		cmocka_unit_test(packet_being_reused_is_dropped),
		cmocka_unit_test(unchanged_packet_stays),
		cmocka_unit_test(
			words_copied_while_they_were_written_are_completed),
		cmocka_unit_test(context_that_is_copied_in_part_is_not_damaged),
	};
	int failed;

	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	snprintf(original, sizeof(original), "%s/original", folder);
	snprintf(copy, sizeof(copy), "%s/copy", folder);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(original);
	unlink(copy);
	rmdir(folder);
	return failed;
}
