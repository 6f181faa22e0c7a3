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
 * The text form of the calls of a trace, one event a line:
 *
 *	TSC+FN		begins at that depth ("?": before the known part)
 *	TSC-FN:why	ends; why is r(eturned), l(eft), c(ut), o(pen)
 *	TSC!N		a gap
 *
 * A '~' precedes an interpolated time, a '>' the earliest possible time of an
 * event.
 */
struct told {
	struct trace_file file;
	struct trace trace;
	struct thread_calls calls;
	char *directory, *path;
	char text[8192];
	size_t length;
};

static void start(struct told *told)
{
	*told = (struct told){ .directory = fixture_directory() };
	told->path = memory_printf("%s/1.0.trace", told->directory);
	trace_file_init(&told->file, 1, 0, 0);
}

static void context(struct told *told, enum wire_packet_cause cause,
		    uint64_t sequence, uint64_t tsc, const uint32_t *functions)
{
	struct trace_file_context context = { .tid = 1,
					      .sequence = sequence,
					      .tsc = tsc,
					      .cause = cause,
					      .functions = functions };

	while (functions[context.count])
		context.count++;
	trace_file_context(&told->file, &context);
}

#define CONTEXT(cause, sequence, tsc, ...)                                     \
	context(&told, WIRE_PACKET_##cause, sequence, tsc,                     \
		(const uint32_t[]){ __VA_ARGS__ })

static void open_it(struct told *told)
{
	char *why;

	trace_file_save(&told->file, told->path);
	assert_int_equal(trace_open(&told->trace, told->path, &why), 0);
	thread_calls_init(&told->calls, &told->trace, 0, told->trace.count);
}

static void say(struct told *told, const struct call_event *event)
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
	told->length += (size_t)snprintf(told->text + told->length,
					 sizeof(told->text) - told->length,
					 "%s%s", told->length ? " " : "", word);
	free(word);
}

static void expect(struct told *told, const char *text)
{
	struct call_event event;
	uint32_t depth = 0;

	while (thread_calls_next(&told->calls, &event)) {
		if (event.kind == CALL_BEGIN)
			assert_int_equal(event.depth, ++depth);
		if (event.kind == CALL_END)
			assert_int_equal(event.depth, depth--);
		say(told, &event);
	}
	assert_int_equal(depth, 0);
	assert_string_equal(told->text, text);
	assert_false(thread_calls_next(&told->calls, &event));
	thread_calls_fini(&told->calls);
	trace_close(&told->trace);
	trace_file_fini(&told->file);
	free(told->path);
	fixture_remove(told->directory);
}

static void calls_begin_and_have_ended_by_the_next(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 2);
	trace_file_stamp(&told.file, 120);
	trace_file_call(&told.file, 2, 3);
	trace_file_call(&told.file, 3, 4);
	trace_file_stamp(&told.file, 140);
	open_it(&told);
	expect(&told, "100+1 120+2 ~130-2:r ~130+3 140+4 >140-4:o >140-3:o "
		      ">140-1:o");
}

/*
 * Times up to the next packet are interpolated if nothing is missing between.
 */
static void times_between_stamps_are_interpolated(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 2);
	trace_file_packet(&told.file, 0);
	CONTEXT(FULL, 2, 200, 1, 0);
	trace_file_call(&told.file, 2, 3);
	trace_file_call(&told.file, 2, 4);
	open_it(&told);
	expect(&told, "100+1 ~150+2 200-2:r 200+3 >200-3:r >200+4 >200-4:o "
		      ">200-1:o");
}

static void a_moment_is_between_two_calls(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 2);
	trace_file_moment(&told.file, 130);
	trace_file_call(&told.file, 2, 3);
	trace_file_stamp(&told.file, 150);
	trace_file_moment(&told.file, 190);
	open_it(&told);
	expect(&told, "100+1 ~120+2 150-2:r 150+3 >190-3:o >190-1:o");
}

/* An unstamped call that has returned by then has the same end time. */
static void returns_have_their_own_times(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 2);
	trace_file_call(&told.file, 3, 3);
	trace_file_stamp(&told.file, 140);
	trace_file_return(&told.file, 2, 160);
	trace_file_call(&told.file, 2, 4);
	trace_file_stamp(&told.file, 180);
	trace_file_return(&told.file, 2, 190);
	trace_file_return(&told.file, 1, 200);
	trace_file_return(&told.file, 0, 210); /* of the enclosing function */
	trace_file_call(&told.file, 1, 5);
	trace_file_stamp(&told.file, 220);
	open_it(&told);
	expect(&told, "100+1 ~120+2 140+3 160-3:r 160-2:r 180+4 190-4:r "
		      "200-1:r 220+5 >220-5:o");
}

static void a_return_has_the_duration_of_its_call(void **state)
{
	struct told told;
	struct call_event event;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 2);
	trace_file_stamp(&told.file, 140);
	trace_file_return(&told.file, 2, 160);
	open_it(&told);
	for (int i = 0; i < 3; i++) /* 100+1 ~120+2 160-2 */
		assert_true(thread_calls_next(&told.calls, &event));
	assert_int_equal(event.kind, CALL_END);
	assert_int_equal(event.tsc, 160);
	assert_int_equal(event.call.inner_tsc, 160);
	assert_true(thread_calls_next(&told.calls, &event));
	assert_int_equal(event.ending, CALL_OPEN);
	expect(&told, "");
}

static void a_tail_call_takes_the_place_of_its_caller(void **state)
{
	struct told told;
	struct call_event event;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_tail(&told.file, 1, 2);
	trace_file_stamp(&told.file, 110);
	open_it(&told);
	assert_true(thread_calls_next(&told.calls, &event));
	assert_false(event.call.is_tail);
	assert_true(thread_calls_next(&told.calls, &event));
	assert_int_equal(event.kind, CALL_END);
	assert_true(thread_calls_next(&told.calls, &event));
	assert_true(event.call.is_tail);
	assert_true(thread_calls_next(&told.calls, &event));
	expect(&told, "");
}

static void missing_packets_are_not_bridged(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 2);
	trace_file_packet(&told.file, 0);
	CONTEXT(FULL, 3, 200, 1, 2, 0);
	trace_file_call(&told.file, 3, 3);
	open_it(&told);
	expect(&told, "100+1 >100+2 >100-2:c >100-1:c 200!0 200+1? 200+2? "
		      "200+3 >200-3:o >200-2:o >200-1:o");
}

/* A ring has lost its beginning. */
static void calls_before_the_first_packet_are_missing(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FULL, 7, 100, 1, 0);
	trace_file_call(&told.file, 2, 2);
	open_it(&told);
	expect(&told, "100!0 100+1? 100+2 >100-2:o >100-1:o");
}

static void calls_on_a_moved_stack_go_on(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 2);
	trace_file_call(&told.file, 3, 3);
	trace_file_stamp(&told.file, 120);
	CONTEXT(MOVED, 2, 200, 1, 4, 0);
	trace_file_call(&told.file, 3, 3);
	open_it(&told);
	expect(&told, "100+1 ~110+2 120+3 200-3:l 200-2:l 200!3 200+4? 200+3 "
		      ">200-3:o >200-4:o >200-1:o");
}

/* A full packet's successor has the stack that the calls before it made. */
static void a_stack_that_calls_have_not_made_is_a_mismatch(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_packet(&told.file, 0);
	CONTEXT(FULL, 2, 200, 2, 0);
	trace_file_call(&told.file, 2, 3);
	open_it(&told);
	expect(&told, "100+1 200-1:l 200!2 200+2? 200+3 >200-3:o >200-2:o");
}

static void damage_cuts_everything(void **state)
{
	struct told told;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_call(&told.file, 2, 0x10000); /* an unknown index */
	trace_file_packet(&told.file, 0);
	CONTEXT(FULL, 2, 200, 1, 0);
	trace_file_call(&told.file, 2, 3);
	open_it(&told);
	expect(&told, "100+1 >100-1:c 100!1 200+1? 200+3 >200-3:o >200-1:o");
}

static void traces_of_a_former_clew_are_refused(void **state)
{
	struct wire_header *header;
	struct told told;
	char *why = NULL;

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	header = (void *)told.file.bytes;
	header->version = WIRE_VERSION_OLDEST - 1;
	trace_file_save(&told.file, told.path);
	assert_int_equal(trace_open(&told.trace, told.path, &why), -EPROTO);
	assert_non_null(strstr(why, "cannot read format version"));
	free(why);
	trace_file_fini(&told.file);
	free(told.path);
	fixture_remove(told.directory);
}

static void another_thread_begins_without_calls(void **state)
{
	struct told told;
	struct trace_file_context other = {
		.tid = 2, .sequence = 2, .tsc = 200, .cause = WIRE_PACKET_FIRST
	};

	(void)state;
	start(&told);
	trace_file_packet(&told.file, 0);
	CONTEXT(FIRST, 1, 100, 0);
	trace_file_call(&told.file, 1, 1);
	trace_file_context(&told.file, &other);
	trace_file_call(&told.file, 1, 2);
	open_it(&told);
	expect(&told, "100+1 >100-1:o 200+2 >200-2:o");
}

/* Three packets of a loop: 1{ 2 3 2 3 ... }, 10 ticks apart. */
static void make_loop(struct told *told)
{
	start(told);
	for (uint32_t packet = 0; packet < 3; packet++) {
		const uint32_t functions[] = { packet ? 1 : 0, 0 };

		trace_file_packet(&told->file, 0);
		context(told, packet ? WIRE_PACKET_FULL : WIRE_PACKET_FIRST,
			packet + 1, 100 * (packet + UINT64_C(1)), functions);
		if (packet == 0)
			trace_file_call(&told->file, 1, 1);
		for (uint32_t i = packet == 0; i < 10; i++) {
			trace_file_call(&told->file, 2, 2 + i % 2);
			trace_file_stamp(&told->file,
					 100 * (packet + UINT64_C(1)) + 10 * i);
		}
	}
	open_it(told);
}

static void a_window_has_the_calls_that_run_in_it(void **state)
{
	struct told told;

	(void)state;
	make_loop(&told);
	thread_calls_window(&told.calls, 215, 235);
	expect(&told, ">215+1? >215+3 220-3:r 220+2 230-2:r 230+3 240-3:r "
		      ">235-1:o");
}

/* A window inside a call contains it, even without any event. */
static void a_window_within_a_call_has_this_call(void **state)
{
	struct told told;

	(void)state;
	make_loop(&told);
	thread_calls_window(&told.calls, 212, 218);
	expect(&told, ">212+1? >212+3 220-3:r >218-1:o");
}

static void a_window_between_packets_has_the_active_calls(void **state)
{
	struct told told;

	(void)state;
	make_loop(&told);
	thread_calls_window(&told.calls, 292, 296);
	expect(&told, ">292+1? >292+3 >296-3:o >296-1:o");
}

static void a_window_after_all_calls_is_empty(void **state)
{
	struct told told;

	(void)state;
	make_loop(&told);
	thread_calls_window(&told.calls, 1000, 2000);
	expect(&told, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_begin_and_have_ended_by_the_next),
		cmocka_unit_test(times_between_stamps_are_interpolated),
		cmocka_unit_test(a_moment_is_between_two_calls),
		cmocka_unit_test(returns_have_their_own_times),
		cmocka_unit_test(a_return_has_the_duration_of_its_call),
		cmocka_unit_test(a_tail_call_takes_the_place_of_its_caller),
		cmocka_unit_test(missing_packets_are_not_bridged),
		cmocka_unit_test(calls_before_the_first_packet_are_missing),
		cmocka_unit_test(calls_on_a_moved_stack_go_on),
		cmocka_unit_test(
			a_stack_that_calls_have_not_made_is_a_mismatch),
		cmocka_unit_test(damage_cuts_everything),
		cmocka_unit_test(traces_of_a_former_clew_are_refused),
		cmocka_unit_test(another_thread_begins_without_calls),
		cmocka_unit_test(a_window_has_the_calls_that_run_in_it),
		cmocka_unit_test(a_window_within_a_call_has_this_call),
		cmocka_unit_test(a_window_between_packets_has_the_active_calls),
		cmocka_unit_test(a_window_after_all_calls_is_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
