/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <string.h>

#include "report/recording/packet_reader.h"

/*
 * Block 0 has the functions from 0x7000 on, block 1 those from 0x3000 on. The
 * runtime leaves block 0 alone; readers need not know.
 */
static const struct packet_blocks BLOCKS = { .count = 2, .blocks = { 8, 4 } };

struct packet {
	uint32_t words[4096];
	size_t count;
};

static void put(struct packet *packet, uint32_t word)
{
	assert_true(packet->count < sizeof(packet->words) / sizeof(word));
	packet->words[packet->count++] = word;
}

static void put_call(struct packet *packet, uint32_t level, uint32_t index)
{
	put(packet, (level & 0xff) << WIRE_PACKET_LEVEL_SHIFT | index);
}

static void put_stamp(struct packet *packet, uint64_t tsc)
{
	put(packet,
	    wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS));
	put(packet, (uint32_t)tsc);
	put(packet, (uint32_t)(tsc >> 32));
}

static void put_context(struct packet *packet, uint8_t level, uint32_t count,
			const uint32_t *functions)
{
	struct wire_packet_begin begin = {
		.head = wire_packet_odd(WIRE_PACKET_BEGIN,
					WIRE_PACKET_BEGIN_WORDS(count)),
		.tid = 77,
		.sequence = { 5, 1 },
		.tsc = { 1000, 0 },
		.id = { 3, 4 },
		.level = level,
		.cause = WIRE_PACKET_MOVED,
		.functions = count,
	};

	memcpy(packet->words + packet->count, &begin, sizeof(begin));
	packet->count += sizeof(begin) / 4;
	for (uint32_t i = 0; i < count; i++)
		put(packet, functions[i]);
	put(packet, WIRE_PACKET_BEGIN_END);
}

static void begin(struct packet_cursor *cursor, const struct packet *packet)
{
	packet_begin(cursor, packet->words, packet->count, &BLOCKS);
}

static void expect_call(struct packet_cursor *cursor, uint32_t depth,
			uint32_t function)
{
	assert_int_equal(packet_next(cursor), PACKET_CALL);
	assert_int_equal(cursor->depth, depth);
	assert_int_equal(cursor->function, function);
}

static void expect_end(struct packet_cursor *cursor, uint64_t bad_words)
{
	assert_int_equal(packet_next(cursor), PACKET_END);
	assert_int_equal(packet_next(cursor), PACKET_END);
	assert_int_equal(cursor->bad_words, bad_words);
}

static void returns_follow_from_the_levels_of_calls(void **state)
{
	const uint32_t levels[] = { 2, 3, 4, 3, 4, 2, 3 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 1, 0, NULL);
	for (uint32_t i = 0; i < 7; i++)
		put_call(&packet, levels[i], i + 1);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	for (uint32_t i = 0; i < 7; i++)
		expect_call(&cursor, levels[i] - 1, 0x7001 + i);
	expect_end(&cursor, 0);
}

static void a_context_says_where_calls_go_on(void **state)
{
	const uint32_t functions[] = { 10, 11, 12 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 200, 3, functions);
	put_call(&packet, 201, 0x1002);
	put_call(&packet, 199, 3);
	put_call(&packet, 200, 4);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	assert_int_equal(cursor.depth, 3);
	assert_int_equal(cursor.tsc, 1000);
	assert_int_equal(cursor.context.id, UINT64_C(0x400000003));
	assert_int_equal(cursor.context.sequence, UINT64_C(0x100000005));
	assert_int_equal(cursor.context.tid, 77);
	assert_int_equal(cursor.context.count, 3);
	assert_memory_equal(cursor.context.functions, functions, 12);
	expect_call(&cursor, 4, 0x3002);
	expect_call(&cursor, 2, 0x7003);
	expect_call(&cursor, 3, 0x7004);
	expect_end(&cursor, 0);
}

/* Also where 254 calls return between two words. */
static void levels_go_round(void **state)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 1, 0, NULL);
	for (uint32_t depth = 1; depth <= 1000; depth++)
		put_call(&packet, depth + 1, 1);
	put_call(&packet, 1000 - 254 + 2, 2);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	for (uint32_t depth = 1; depth <= 1000; depth++)
		expect_call(&cursor, depth, 0x7001);
	expect_call(&cursor, 1000 - 254 + 1, 0x7002);
	expect_end(&cursor, 0);
}

/* It has interrupted function 2 before its word was written. */
static void a_handler_may_call_first(void **state)
{
	const uint32_t levels[] = { 1, 3, 4, 2, 3 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 0, 0, NULL);
	for (uint32_t i = 0; i < 5; i++)
		put_call(&packet, levels[i], i + 1);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	for (uint32_t i = 0; i < 5; i++) {
		expect_call(&cursor, levels[i], 0x7001 + i);
		assert_int_equal(cursor.is_early, i == 1);
	}
	expect_end(&cursor, 0);
}

static void tail_calls_are_marked(void **state)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 0, 0, NULL);
	put_call(&packet, 1, 1);
	put(&packet, wire_packet_odd(WIRE_PACKET_TAIL, WIRE_PACKET_TAIL_WORDS));
	put_call(&packet, 1, 2);
	put_call(&packet, 2, 3);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7001);
	assert_false(cursor.is_tail);
	expect_call(&cursor, 1, 0x7002);
	assert_true(cursor.is_tail);
	expect_call(&cursor, 2, 0x7003);
	assert_false(cursor.is_tail);
	expect_end(&cursor, 0);
}

static void stamps_tell_time_and_never_go_back(void **state)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 0, 0, NULL);
	put_call(&packet, 1, 1);
	put_stamp(&packet, UINT64_C(0x100000002));
	put_stamp(&packet, 2); /* half of one */
	put_call(&packet, 1, 1);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7001);
	assert_int_equal(packet_next(&cursor), PACKET_TIME);
	assert_int_equal(cursor.tsc, UINT64_C(0x100000002));
	expect_call(&cursor, 1, 0x7001);
	assert_int_equal(cursor.tsc, UINT64_C(0x100000002));
	expect_end(&cursor, 0);
}

static void holes_and_unknown_kinds_are_passed_over(void **state)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put(&packet, 0);
	put_context(&packet, 0, 0, NULL);
	put(&packet, 0);
	put(&packet, wire_packet_odd(200, 3));
	put_call(&packet, 9, 1);
	put_call(&packet, 9, 1);
	put_call(&packet, 1, 1);
	put(&packet, 0);
	put(&packet, 0);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7001);
	expect_end(&cursor, 0);
}

static void what_cannot_be_is_counted_until_the_next_context(void **state)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_call(&packet, 1, 1); /* before any context */
	put_context(&packet, 5, 0, NULL);
	put_call(&packet, 6, 1);
	put_call(&packet, 5, 1); /* would be at depth 0 */
	put_call(&packet, 6, 1);
	put_context(&packet, 5, 0, NULL);
	put_call(&packet, 6, 0x2001); /* of no block */
	put_context(&packet, 5, 0, NULL);
	put_call(&packet, 6, 2);
	put(&packet, wire_packet_odd(WIRE_PACKET_BEGIN, 60000));
	put_call(&packet, 6, 2);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7001);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7002);
	expect_end(&cursor, 6);
}

static void half_of_a_context_is_none(void **state)
{
	const uint32_t functions[] = { 10, 11, 12 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 200, 3, functions);
	packet.words[packet.count - 1] = 0;
	put_call(&packet, 201, 1);
	begin(&cursor, &packet);
	expect_end(&cursor, WIRE_PACKET_BEGIN_WORDS(3) + 1);
}

static void a_call_says_where_it_returns_to(void **state)
{
	const uint32_t functions[] = { 10, 11 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 2, 2, functions);
	put(&packet,
	    wire_packet_odd(WIRE_PACKET_SITES, WIRE_PACKET_SITES_WORDS(2)));
	for (uint32_t i = 0; i < 4; i++)
		put(&packet, 20 + i);
	put_call(&packet, 3, 1);
	put(&packet, wire_packet_odd(WIRE_PACKET_SITE, WIRE_PACKET_SITE_WORDS));
	put(&packet, 5);
	put(&packet, 1);
	put_call(&packet, 3, 2);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	assert_non_null(cursor.context.sites);
	assert_int_equal(cursor.context.sites[3], 23);
	expect_call(&cursor, 3, 0x7001);
	assert_int_equal(packet_site(&cursor), UINT64_C(0x100000005));
	expect_call(&cursor, 3, 0x7002);
	assert_int_equal(packet_site(&cursor), 0);
	expect_end(&cursor, 0);
}

static void put_value(struct packet *packet, uint8_t level, uint32_t out)
{
	const struct wire_packet_value value = {
		.head = wire_packet_odd(WIRE_PACKET_VALUE, 6),
		.probe = 3,
		.flags = WIRE_VALUE_IS_AGAIN,
		.level = level,
		.out = out,
		.number = { 2, 0 },
	};

	memcpy(packet->words + packet->count, &value, sizeof(value));
	packet->count += sizeof(value) / 4;
	put(packet, 0x6261);
}

/* Of one that has returned, or that nothing is known of, nothing is told. */
static void a_value_is_of_a_call_that_runs(void **state)
{
	const uint32_t functions[] = { 10, 11 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 2, 2, functions);
	put_value(&packet, 2, 1);
	put_value(&packet, 2, 2);
	put_value(&packet, 3, 0);
	put_call(&packet, 3, 1);
	put_call(&packet, 4, 1);
	put_value(&packet, 3, 0);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	assert_null(cursor.context.sites);
	assert_int_equal(packet_next(&cursor), PACKET_VALUE);
	assert_int_equal(cursor.value.depth, 1);
	assert_int_equal(cursor.value.wire->probe, 3);
	assert_int_equal(cursor.value.number, 2);
	assert_int_equal(cursor.value.string_bytes, 4);
	assert_memory_equal(cursor.value.string, "ab", 2);
	expect_call(&cursor, 3, 0x7001);
	expect_call(&cursor, 4, 0x7001);
	assert_int_equal(packet_next(&cursor), PACKET_VALUE);
	assert_int_equal(cursor.value.depth, 3);
	expect_end(&cursor, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_call_says_where_it_returns_to),
		cmocka_unit_test(a_value_is_of_a_call_that_runs),
		cmocka_unit_test(returns_follow_from_the_levels_of_calls),
		cmocka_unit_test(a_context_says_where_calls_go_on),
		cmocka_unit_test(levels_go_round),
		cmocka_unit_test(a_handler_may_call_first),
		cmocka_unit_test(tail_calls_are_marked),
		cmocka_unit_test(stamps_tell_time_and_never_go_back),
		cmocka_unit_test(holes_and_unknown_kinds_are_passed_over),
		cmocka_unit_test(
			what_cannot_be_is_counted_until_the_next_context),
		cmocka_unit_test(half_of_a_context_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
