/* SPDX-License-Identifier: MIT */
#include "tests/unit/unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "report/trace/thread_calls.h"
#include "tests/unit/fixture.h"
#include "tests/unit/trace_file.h"

/*
 * The text form of the calls of a trace, one event a word:
 *
 *	TSC+FN		FN begins ("?": before the known part of the trace)
 *	TSC-FN:how	FN ends; how is r(eturned), l(eft), c(ut), o(pen)
 *	TSC!N		a gap
 *
 * A '~' precedes an interpolated time, a '>' the earliest possible time of an
 * event.
 */
static struct {
	struct trace_file file;
	struct trace trace;
	struct thread_calls calls;
	char *directory, *path;
	char text[8192];
	size_t length;
} given;

static int set_up(void **state)
{
	memset(&given, 0, sizeof(given));
	given.directory = fixture_directory();
	given.path = memory_printf("%s/1.0.trace", given.directory);
	trace_file_init(&given.file, 1, 0, 0);
	return 0;
}

static int tear_down(void **state)
{
	trace_file_fini(&given.file);
	free(given.path);
	fixture_remove(given.directory);
	return 0;
}

/* ---- The trace ---- */

/* Begins a packet whose thread has these functions on its stack. */
static void context(enum wire_packet_cause cause, uint64_t sequence,
		    uint64_t tsc, const uint32_t *functions)
{
	struct trace_file_context context = { .tid = 1,
					      .sequence = sequence,
					      .tsc = tsc,
					      .cause = cause,
					      .functions = functions };

	while (functions[context.count])
		context.count++;
	trace_file_context(&given.file, &context);
}

#define CONTEXT(cause, sequence, tsc, ...)                                     \
	context(WIRE_PACKET_##cause, sequence, tsc,                            \
		(const uint32_t[]){ __VA_ARGS__ })

#define PACKET(cause, sequence, tsc, ...)                                      \
	do {                                                                   \
		trace_file_packet(&given.file, 0);                             \
		CONTEXT(cause, sequence, tsc, __VA_ARGS__);                    \
	} while (0)

static void call(uint32_t depth, uint32_t function)
{
	trace_file_call(&given.file, depth, function);
}

static void stamp(uint64_t tsc)
{
	trace_file_stamp(&given.file, tsc);
}

static void leave(uint32_t depth, uint64_t tsc)
{
	trace_file_return(&given.file, depth, tsc);
}

/* ---- Its calls ---- */

static void open_trace(void)
{
	char *why;

	trace_file_save(&given.file, given.path);
	assert_int_equal(trace_open(&given.trace, given.path, &why), 0);
	thread_calls_init(&given.calls, &given.trace, 0, given.trace.count);
}

static void add_text(const struct call_event *event)
{
	static const char clocks[][2] = { "", "~", ">" };
	char *word;

	if (event->kind == CALL_BEGIN)
		word = memory_printf("%s%d+%d%s", clocks[event->clock],
				     (int)event->tsc, (int)event->call.function,
				     event->call.begin_tsc ? "" : "?");
	else if (event->kind == CALL_END)
		word = memory_printf("%s%d-%d:%c", clocks[event->clock],
				     (int)event->tsc, (int)event->call.function,
				     "rlco"[event->ending]);
	else
		word = memory_printf("%d!%d", (int)event->tsc, (int)event->gap);
	given.length += (size_t)snprintf(given.text + given.length,
					 sizeof(given.text) - given.length,
					 "%s%s", given.length ? " " : "", word);
	free(word);
}

/* Checks the calls that have not been read yet, and closes the trace. */
static void expect_rest(const char *text)
{
	struct call_event event;
	uint32_t depth = 0;

	while (thread_calls_next(&given.calls, &event)) {
		if (event.kind == CALL_BEGIN)
			assert_int_equal(event.depth, ++depth);
		if (event.kind == CALL_END)
			assert_int_equal(event.depth, depth--);
		add_text(&event);
	}
	assert_int_equal(depth, 0);
	assert_string_equal(given.text, text);
	assert_false(thread_calls_next(&given.calls, &event));
	thread_calls_fini(&given.calls);
	trace_close(&given.trace);
}

static void expect(const char *text)
{
	open_trace();
	expect_rest(text);
}

/* ---- Tests ---- */

static void calls_begin_and_have_ended_by_the_next(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 2);
	stamp(120);
	call(2, 3);
	call(3, 4);
	stamp(140);
	expect("100+1 120+2 ~130-2:r ~130+3 140+4 >140-4:o >140-3:o "
	       ">140-1:o");
}

/*
 * Times up to the next packet are interpolated if nothing is missing between.
 */
static void times_between_stamps_are_interpolated(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 2);
	PACKET(FULL, 2, 200, 1, 0);
	call(2, 3);
	call(2, 4);
	expect("100+1 ~150+2 200-2:r 200+3 >200-3:r >200+4 >200-4:o "
	       ">200-1:o");
}

/* The trace's file is opened when its first call is read. */
static void a_removed_trace_has_a_gap(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	open_trace();
	trace_let_go(&given.trace);
	unlink(given.path);
	expect_rest("100!0");
}

static void a_moment_is_between_two_calls(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 2);
	trace_file_moment(&given.file, 130);
	call(2, 3);
	stamp(150);
	trace_file_moment(&given.file, 190);
	expect("100+1 ~120+2 150-2:r 150+3 >190-3:o >190-1:o");
}

/* An unstamped call that has returned by then has the same end time. */
static void returns_have_their_own_times(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 2);
	call(3, 3);
	stamp(140);
	leave(2, 160);
	call(2, 4);
	stamp(180);
	leave(2, 190);
	leave(1, 200);
	leave(0, 210); /* of the enclosing function */
	call(1, 5);
	stamp(220);
	expect("100+1 ~120+2 140+3 160-3:r 160-2:r 180+4 190-4:r "
	       "200-1:r 220+5 >220-5:o");
}

static void a_return_has_the_duration_of_its_call(void **state)
{
	struct call_event event;

	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 2);
	stamp(140);
	leave(2, 160);
	open_trace();
	for (int i = 0; i < 3; i++) /* 100+1 ~120+2 160-2 */
		assert_true(thread_calls_next(&given.calls, &event));
	assert_int_equal(event.kind, CALL_END);
	assert_int_equal(event.tsc, 160);
	assert_int_equal(event.call.inner_tsc, 160);
	assert_true(thread_calls_next(&given.calls, &event));
	assert_int_equal(event.ending, CALL_OPEN);
	expect_rest("");
}

static void a_tail_call_takes_the_place_of_its_caller(void **state)
{
	struct call_event event;

	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	trace_file_tail(&given.file, 1, 2);
	stamp(110);
	open_trace();
	assert_true(thread_calls_next(&given.calls, &event));
	assert_false(event.call.is_tail);
	assert_true(thread_calls_next(&given.calls, &event));
	assert_int_equal(event.kind, CALL_END);
	assert_true(thread_calls_next(&given.calls, &event));
	assert_true(event.call.is_tail);
	assert_true(thread_calls_next(&given.calls, &event));
	expect_rest("");
}

static void missing_packets_are_not_bridged(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 2);
	PACKET(FULL, 3, 200, 1, 2, 0);
	call(3, 3);
	expect("100+1 >100+2 >100-2:c >100-1:c 200!0 200+1? 200+2? "
	       "200+3 >200-3:o >200-2:o >200-1:o");
}

/* A ring has lost its beginning. */
static void calls_before_the_first_packet_are_missing(void **state)
{
	PACKET(FULL, 7, 100, 1, 0);
	call(2, 2);
	expect("100!0 100+1? 100+2 >100-2:o >100-1:o");
}

static void calls_on_a_moved_stack_go_on(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 2);
	call(3, 3);
	stamp(120);
	CONTEXT(MOVED, 2, 200, 1, 4, 0);
	call(3, 3);
	expect("100+1 ~110+2 120+3 200-3:l 200-2:l 200!3 200+4? 200+3 "
	       ">200-3:o >200-4:o >200-1:o");
}

/* A full packet's successor has the stack that the calls before it made. */
static void a_stack_that_calls_have_not_made_is_a_mismatch(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	PACKET(FULL, 2, 200, 2, 0);
	call(2, 3);
	expect("100+1 200-1:l 200!2 200+2? 200+3 >200-3:o >200-2:o");
}

static void damage_cuts_everything(void **state)
{
	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	call(2, 0x10000); /* an unknown index */
	PACKET(FULL, 2, 200, 1, 0);
	call(2, 3);
	expect("100+1 >100-1:c 100!1 200+1? 200+3 >200-3:o >200-1:o");
}

static void traces_of_a_former_clew_are_refused(void **state)
{
	struct wire_header *header;
	char *why = NULL;

	PACKET(FIRST, 1, 100, 0);
	header = (void *)given.file.bytes;
	header->version = WIRE_VERSION_OLDEST - 1;
	trace_file_save(&given.file, given.path);
	assert_int_equal(trace_open(&given.trace, given.path, &why), -EPROTO);
	assert_non_null(strstr(why, "cannot read format version"));
	free(why);
}

static void another_thread_begins_without_calls(void **state)
{
	struct trace_file_context other = {
		.tid = 2, .sequence = 2, .tsc = 200, .cause = WIRE_PACKET_FIRST
	};

	PACKET(FIRST, 1, 100, 0);
	call(1, 1);
	trace_file_context(&given.file, &other);
	call(1, 2);
	expect("100+1 >100-1:o 200+2 >200-2:o");
}

/* Three packets of a loop: 1{ 2 3 2 3 ... }, 10 ticks apart. */
static void open_loop(void)
{
	for (uint32_t packet = 0; packet < 3; packet++) {
		const uint64_t tsc = 100 * (packet + UINT64_C(1));

		if (packet == 0)
			PACKET(FIRST, 1, tsc, 0);
		else
			PACKET(FULL, packet + 1, tsc, 1, 0);
		if (packet == 0)
			call(1, 1);
		for (uint32_t i = packet == 0; i < 10; i++) {
			call(2, 2 + i % 2);
			stamp(tsc + 10 * i);
		}
	}
	open_trace();
}

static void a_window_has_the_calls_that_run_in_it(void **state)
{
	open_loop();
	thread_calls_window(&given.calls, 215, 235);
	expect_rest(">215+1? >215+3 220-3:r 220+2 230-2:r 230+3 240-3:r "
		    ">235-1:o");
}

/* A window inside a call contains it, even without any event. */
static void a_window_within_a_call_has_this_call(void **state)
{
	open_loop();
	thread_calls_window(&given.calls, 212, 218);
	expect_rest(">212+1? >212+3 220-3:r >218-1:o");
}

static void a_window_between_packets_has_the_active_calls(void **state)
{
	open_loop();
	thread_calls_window(&given.calls, 292, 296);
	expect_rest(">292+1? >292+3 >296-3:o >296-1:o");
}

static void a_window_after_all_calls_is_empty(void **state)
{
	open_loop();
	thread_calls_window(&given.calls, 1000, 2000);
	expect_rest("");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(calls_begin_and_have_ended_by_the_next),
		TEST(times_between_stamps_are_interpolated),
		TEST(a_removed_trace_has_a_gap),
		TEST(a_moment_is_between_two_calls),
		TEST(returns_have_their_own_times),
		TEST(a_return_has_the_duration_of_its_call),
		TEST(a_tail_call_takes_the_place_of_its_caller),
		TEST(missing_packets_are_not_bridged),
		TEST(calls_before_the_first_packet_are_missing),
		TEST(calls_on_a_moved_stack_go_on),
		TEST(a_stack_that_calls_have_not_made_is_a_mismatch),
		TEST(damage_cuts_everything),
		TEST(traces_of_a_former_clew_are_refused),
		TEST(another_thread_begins_without_calls),
		TEST(a_window_has_the_calls_that_run_in_it),
		TEST(a_window_within_a_call_has_this_call),
		TEST(a_window_between_packets_has_the_active_calls),
		TEST(a_window_after_all_calls_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
