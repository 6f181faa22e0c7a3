/* SPDX-License-Identifier: MIT */
/*
 * What clew takes from the worker that unwinds stacks (cli/remote_frames.h), which a
 * hostile process may have taken over: any number in its answer may be wrong.
 */
#include "unit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/remote_frames.h"
#include "cli/stack_reader.h"
#include "cli/unwinding.h"

enum { THREADS = 3, ROOM = 8, GONE = 1, LISTED = THREADS - 1 };

/* What the worker answers here: counts of threads that are not gone, and frames. */
static struct {
	int64_t counts[THREADS];
	struct wire_frame frames[ROOM];
} answered;

static size_t written_bytes;

int target_read(int memory, uint64_t at, void *out, size_t bytes)
{
	return -EIO;
}

int target_write(int memory, uint64_t at, const void *bytes, size_t count)
{
	written_bytes = count;
	return 0;
}

struct unwinding *unwinding_create(int memory, const struct target_maps *maps)
{
	return NULL;
}

long unwinding_frames(struct unwinding *unwinding, const struct tracee *thread,
		      struct wire_frame *frames, size_t room)
{
	return -ENOENT;
}

int stack_reader_run(int memory, stack_reading read, const void *request,
		     size_t bytes, void **answer, char **why)
{
	assert_int_equal(bytes, sizeof(answered));
	*answer = &answered;
	return 0;
}

void stack_reader_free(void *answer, size_t bytes)
{
}

static struct wire_stopped list[LISTED];
static struct remote_frames frames;

static int find(char **why)
{
	struct tracee threads[THREADS] = { [GONE] = { .is_gone = 1 } };
	const struct tracer tracer = { .threads = threads, .count = THREADS };

	memset(list, 0, sizeof(list));
	frames = (struct remote_frames){ .room = ROOM };
	return remote_frames_find(&tracer, NULL, list, &frames, why);
}

static void frames_of_each_thread_are_its_own(void **state)
{
	char *why = NULL;

	(void)state;
	answered.counts[0] = 2;
	answered.counts[1] = 4;
	answered.frames[3].word = 0x1234;
	assert_int_equal(find(&why), 0);
	assert_int_equal(list[0].first_frame, 0);
	assert_int_equal(list[0].frame_count, 2);
	assert_int_equal(list[1].first_frame, 3);
	assert_int_equal(list[1].frame_count, 4);
	assert_true(list[0].is_unwound && list[1].is_unwound);
	assert_int_equal(frames.count, ROOM);
	assert_int_equal(frames.items[3].word, 0x1234);
	assert_int_equal(written_bytes, ROOM * sizeof(*frames.items));
	remote_frames_free(&frames);
}

static void an_error_leaves_a_thread_without_frames(void **state)
{
	char *why = NULL;

	(void)state;
	answered.counts[0] = INT64_MIN;
	answered.counts[1] = 1;
	assert_int_equal(find(&why), 0);
	assert_false(list[0].is_unwound);
	assert_int_equal(list[0].frame_count, 0);
	assert_int_equal(list[1].first_frame, 0);
	assert_int_equal(list[1].frame_count, 1);
	remote_frames_free(&frames);
}

static void more_frames_than_there_is_room_for_are_refused(void **state)
{
	const int64_t wrong[][LISTED] = {
		{ ROOM, 0 },       { INT64_MAX, 0 },   { 0, INT64_MAX },
		{ ROOM - 1, 0 },   { 2, ROOM - 3 },    { 3, INT64_MAX - 3 },
		{ -1, INT32_MAX }, { UINT32_MAX, -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		char *why = NULL;

		memcpy(answered.counts, wrong[i], sizeof(wrong[i]));
		assert_int_equal(find(&why), -EBADMSG);
		assert_non_null(strstr(why, "its stacks cannot be read"));
		assert_null(frames.items);
		free(why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_of_each_thread_are_its_own),
		cmocka_unit_test(an_error_leaves_a_thread_without_frames),
		cmocka_unit_test(
			more_frames_than_there_is_room_for_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
