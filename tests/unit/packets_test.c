/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <string.h>

#include "report/recording/packet_reader.h"

/*
 * Block 0 has the functions from 0x7000 on, block 1 those from 0x3000 on. The
 * runtime does not use block 0, but readers accept it.
 */
static const struct packet_blocks BLOCKS = { .count = 2, .blocks = { 29, 13 } };

struct packet {
	uint32_t words[4096];
	size_t count;
};

static void put(struct packet *packet, uint32_t word)
{
	assert_true(packet->count < sizeof(packet->words) / sizeof(word));
	packet->words[packet->count++] = word;
}

static void put_call(struct packet *packet, uint32_t place, uint32_t index)
{
	put(packet, place << WIRE_PACKET_PLACE_SHIFT | index);
}

static void put_stamp(struct packet *packet, uint64_t tsc)
{
	put(packet,
	    wire_packet_odd(WIRE_PACKET_STAMP, WIRE_PACKET_STAMP_WORDS));
	put(packet, (uint32_t)tsc);
	put(packet, (uint32_t)(tsc >> 32));
}

/* Writes a context; the functions are ordered from the innermost one. */
static void put_context(struct packet *packet, uint32_t count,
			const uint32_t *functions, const uint32_t *places)
{
	struct wire_packet_begin begin = {
		.head = wire_packet_odd(WIRE_PACKET_BEGIN,
					WIRE_PACKET_BEGIN_WORDS(count)),
		.tid = 77,
		.sequence = { 5, 1 },
		.tsc = { 1000, 0 },
		.id = { 3, 4 },
		.cause = WIRE_PACKET_MOVED,
		.functions = count,
	};

	memcpy(packet->words + packet->count, &begin, sizeof(begin));
	packet->count += sizeof(begin) / 4;
	for (uint32_t i = 0; i < count; i++)
		put(packet, functions[i]);
	for (uint32_t i = 0; i < count; i++)
		put(packet, places[i]);
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

/* Checks the depths of calls in these slots, outermost function first. */
static void check_depths(const uint32_t *places, const uint32_t *depths,
			 uint32_t count)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	put_context(&packet, 0, NULL, NULL);
	for (uint32_t i = 0; i < count; i++)
		put_call(&packet, places[i], i + 1);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	for (uint32_t i = 0; i < count; i++)
		expect_call(&cursor, depths[i], 0x7001 + i);
	expect_end(&cursor, 0);
}

static void returns_follow_from_the_places_of_calls(void **state)
{
	const uint32_t places[] = { 500, 490, 400, 490, 489, 501, 0 };
	const uint32_t depths[] = { 1, 2, 3, 2, 3, 1, 2 };

	(void)state;
	check_depths(places, depths, 7);
}

static void a_context_says_where_calls_go_on(void **state)
{
	const uint32_t functions[] = { 10, 11, 12 };
	const uint32_t places[] = { 600, 700, 5000 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 3, functions, places);
	put_call(&packet, 599, 0x402);
	put_call(&packet, 700, 3);
	put_call(&packet, 1023, 4);
	put_call(&packet, 1022, 5);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	assert_int_equal(cursor.depth, 3);
	assert_int_equal(cursor.tsc, 1000);
	assert_int_equal(cursor.context.id, UINT64_C(0x400000003));
	assert_int_equal(cursor.context.sequence, UINT64_C(0x100000005));
	assert_int_equal(cursor.context.tid, 77);
	assert_int_equal(cursor.context.count, 3);
	assert_memory_equal(cursor.context.functions, functions, 12);
	assert_memory_equal(cursor.context.places, places, 12);
	expect_call(&cursor, 4, 0x3002);
	expect_call(&cursor, 2, 0x7003);
	expect_call(&cursor, 2, 0x7004);
	expect_call(&cursor, 3, 0x7005);
	expect_end(&cursor, 0);
}

/*
 * The slot of the next call does not show this: its caller has grown its frame.
 */
static void returned_functions_may_have_words(void **state)
{
	const uint32_t functions[] = { 10, 11 };
	const uint32_t places[] = { 700, WIRE_PACKET_ELSEWHERE };
	const uint32_t left[] = { 500, 700, UINT32_MAX };
	const uint32_t depths[] = { 4, 3, 2 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	for (int i = 0; i < 3; i++) {
		put_context(&packet, 2, functions, places);
		put_call(&packet, 500, 1);
		put_call(&packet, 490, 2);
		put(&packet,
		    wire_packet_odd(WIRE_PACKET_LEFT, WIRE_PACKET_LEFT_WORDS));
		put(&packet, left[i]);
		put_call(&packet, 480, 3);
	}
	begin(&cursor, &packet);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
		expect_call(&cursor, 3, 0x7001);
		expect_call(&cursor, 4, 0x7002);
		expect_call(&cursor, depths[i], 0x7003);
	}
	expect_end(&cursor, 0);
}

/* No slot of a call shows that these calls have returned. */
static void functions_on_another_stack_stay_active(void **state)
{
	const uint32_t functions[] = { 10, 11, 12 };
	const uint32_t places[] = { 600, WIRE_PACKET_ELSEWHERE,
				    WIRE_PACKET_ELSEWHERE };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 3, functions, places);
	put_call(&packet, 1023, 1);
	put(&packet,
	    wire_packet_odd(WIRE_PACKET_RETURN, WIRE_PACKET_RETURN_WORDS));
	put(&packet, WIRE_PACKET_ELSEWHERE);
	put(&packet, 2000);
	put(&packet, 0);
	put_call(&packet, 1023, 2);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 3, 0x7001);
	assert_int_equal(packet_next(&cursor), PACKET_RETURN);
	assert_int_equal(cursor.depth, 1);
	expect_call(&cursor, 2, 0x7002);
	expect_end(&cursor, 0);
}

static void depth_is_limited_by_the_words_of_a_packet(void **state)
{
	static uint32_t words[PACKET_WORDS_MAX + 2000];
	static uint32_t functions[WIRE_PACKET_FUNCTIONS];
	static uint32_t places[WIRE_PACKET_FUNCTIONS];
	struct packet packet = { 0 };
	struct packet_cursor cursor;
	uint32_t depth = WIRE_PACKET_FUNCTIONS;

	(void)state;
	for (uint32_t i = 0; i < WIRE_PACKET_FUNCTIONS; i++) {
		functions[i] = 1;
		places[i] = WIRE_PACKET_ELSEWHERE;
	}
	put_context(&packet, WIRE_PACKET_FUNCTIONS, functions, places);
	memcpy(words, packet.words, packet.count * 4);
	for (size_t i = packet.count; i < PACKET_WORDS_MAX + 2000; i++)
		words[i] = (1023 - (uint32_t)i % 1024)
				   << WIRE_PACKET_PLACE_SHIFT |
			   1;
	packet_begin(&cursor, words, PACKET_WORDS_MAX + 2000, &BLOCKS);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	while (packet_next(&cursor) != PACKET_END)
		depth = cursor.depth > depth ? cursor.depth : depth;
	assert_in_range(depth, WIRE_PACKET_FUNCTIONS + 1, PACKET_DEPTH_MAX);
	assert_int_equal(cursor.at, PACKET_WORDS_MAX);
}

/* A handler has interrupted function 2 before its word was written. */
static void a_handler_may_call_first(void **state)
{
	const uint32_t places[] = { 900, 300, 200, 890, 800 };
	const uint32_t depths[] = { 1, 2, 3, 2, 3 };

	(void)state;
	check_depths(places, depths, 5);
}

static void tail_calls_are_marked(void **state)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 0, NULL, NULL);
	put_call(&packet, 100, 1);
	put(&packet, wire_packet_odd(WIRE_PACKET_TAIL, WIRE_PACKET_TAIL_WORDS));
	put_call(&packet, 100, 2);
	put_call(&packet, 90, 3);
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

static void stamps_never_go_back(void **state)
{
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 0, NULL, NULL);
	put_call(&packet, 1, 1);
	put_stamp(&packet, UINT64_C(0x100000002));
	put_stamp(&packet, 2); /* half of a context */
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
	put_context(&packet, 0, NULL, NULL);
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
	put_call(&packet, 1, 1); /* a call before any context */
	put_context(&packet, 0, NULL, NULL);
	put_call(&packet, 6, 1);
	put_call(&packet, 5, 0x802); /* a function in no block */
	put_call(&packet, 6, 1);
	put_context(&packet, 0, NULL, NULL);
	put(&packet, wire_packet_odd(WIRE_PACKET_TAIL, WIRE_PACKET_TAIL_WORDS));
	put(&packet, wire_packet_odd(WIRE_PACKET_MOMENT,
				     3)); /* a word that is no call */
	put_context(&packet, 0, NULL, NULL);
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

static void half_of_a_context_is_ignored(void **state)
{
	const uint32_t functions[] = { 10, 11, 12 };
	const uint32_t places[] = { 10, 20, 30 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 3, functions, places);
	packet.words[packet.count - 1] = 0;
	put_call(&packet, 5, 1);
	begin(&cursor, &packet);
	expect_end(&cursor, WIRE_PACKET_BEGIN_WORDS(3) + 1);
}

/* The reader skips an unfinished context, and later calls have no context. */
static void a_context_that_was_not_finished_is_a_hole(void **state)
{
	const uint32_t words = WIRE_PACKET_BEGIN_WORDS(WIRE_PACKET_FUNCTIONS);
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 0, NULL, NULL);
	put_call(&packet, 5, 1);
	packet.words[packet.count] = wire_packet_odd(WIRE_PACKET_BEGIN, words);
	packet.words[packet.count + 1] = 77;
	packet.count += words;
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7001);
	expect_end(&cursor, 0);
	put_call(&packet, 5, 1);
	put_context(&packet, 0, NULL, NULL);
	put_call(&packet, 5, 2);
	begin(&cursor, &packet);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7001);
	assert_int_equal(packet_next(&cursor), PACKET_CONTEXT);
	expect_call(&cursor, 1, 0x7002);
	expect_end(&cursor, 1);
}

static void a_call_says_where_it_returns_to(void **state)
{
	const uint32_t functions[] = { 10, 11 };
	const uint32_t places[] = { 20, 2000 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 2, functions, places);
	put(&packet,
	    wire_packet_odd(WIRE_PACKET_SITES, WIRE_PACKET_SITES_WORDS(2)));
	for (uint32_t i = 0; i < 4; i++)
		put(&packet, 20 + i);
	put_call(&packet, 10, 1);
	put(&packet, wire_packet_odd(WIRE_PACKET_SITE, WIRE_PACKET_SITE_WORDS));
	put(&packet, 5);
	put(&packet, 1);
	put_call(&packet, 10, 2);
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

static void put_value(struct packet *packet, uint32_t place, uint32_t out)
{
	const struct wire_packet_value value = {
		.head = wire_packet_odd(WIRE_PACKET_VALUE, 7),
		.probe = 3,
		.flags = WIRE_VALUE_IS_AGAIN,
		.place = place,
		.out = out,
		.number = { 2, 0 },
	};

	memcpy(packet->words + packet->count, &value, sizeof(value));
	packet->count += sizeof(value) / 4;
	put(packet, 0x6261);
}

/* A value of a call that has returned, or of an unknown call, has no event. */
static void a_value_belongs_to_a_running_call(void **state)
{
	const uint32_t functions[] = { 10, 11 };
	const uint32_t places[] = { 20, 2000 };
	struct packet packet = { 0 };
	struct packet_cursor cursor;

	(void)state;
	put_context(&packet, 2, functions, places);
	put_value(&packet, 20, 1);
	put_value(&packet, 20, 2);
	put_value(&packet, 10, 0);
	put_call(&packet, 10, 1);
	put_call(&packet, 9, 1);
	put_value(&packet, 10, 0);
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
		cmocka_unit_test(a_value_belongs_to_a_running_call),
		cmocka_unit_test(returns_follow_from_the_places_of_calls),
		cmocka_unit_test(a_context_says_where_calls_go_on),
		cmocka_unit_test(returned_functions_may_have_words),
		cmocka_unit_test(functions_on_another_stack_stay_active),
		cmocka_unit_test(depth_is_limited_by_the_words_of_a_packet),
		cmocka_unit_test(a_handler_may_call_first),
		cmocka_unit_test(tail_calls_are_marked),
		cmocka_unit_test(stamps_never_go_back),
		cmocka_unit_test(holes_and_unknown_kinds_are_passed_over),
		cmocka_unit_test(
			what_cannot_be_is_counted_until_the_next_context),
		cmocka_unit_test(half_of_a_context_is_ignored),
		cmocka_unit_test(a_context_that_was_not_finished_is_a_hole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
