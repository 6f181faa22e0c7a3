/* SPDX-License-Identifier: MIT */
/*
 * Tests of the checks on answers of the worker that unwinds stacks
 * (cli/attach/remote_frames.h). A hostile process may have taken the worker
 * over: any number may be wrong.
 */
#include "unit.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cli/attach/remote_frames.h"
#include "cli/attach/stack_reader.h"
#include "cli/attach/unwinding.h"

enum { THREADS = 3, ROOM = 8, GONE = 1, LISTED = THREADS - 1 };

/*
 * The worker's answer in this test: frame counts of live threads, and frames.
 */
static struct {
	int64_t counts[THREADS];
	struct wire_frame frames[ROOM];
	uint8_t zeros[1 << 16];
} answered;

static size_t written_bytes, running = THREADS;
static int begun; /* number of workers that were forked */

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

void unwinding_destroy(struct unwinding *unwinding)
{
}

long unwinding_frames(struct unwinding *unwinding, const struct tracee *thread,
		      struct wire_frame *frames, size_t room)
{
	return -ENOENT;
}

size_t target_threads(pid_t pid, pid_t **tids)
{
	*tids = NULL;
	return running;
}

int stack_reader_begin(struct stack_reader *reader, int memory,
		       stack_reading read, const void *context,
		       size_t request_bytes, size_t answer_bytes,
		       int threads_wait, char **why)
{
	begun++;
	*reader = (struct stack_reader){ .worker = 1,
					 .request_bytes = request_bytes,
					 .answer_bytes = answer_bytes };
	return 0;
}

int stack_reader_ask(struct stack_reader *reader, const void *request,
		     size_t bytes, const void **answer, char **why)
{
	assert_true(bytes <= reader->request_bytes);
	assert_true(reader->answer_bytes >= offsetof(typeof(answered), zeros));
	*answer = &answered;
	return 0;
}

void stack_reader_end(struct stack_reader *reader)
{
	*reader = (struct stack_reader){ 0 };
}

static struct wire_stopped list[LISTED];
static struct remote_frames frames;

static int find(char **why)
{
	struct tracee threads[THREADS] = { [GONE] = { .is_gone = 1 } };
	const struct tracer tracer = { .threads = threads, .count = THREADS };
	struct stack_reader reader = { 0 };

	memset(list, 0, sizeof(list));
	frames = (struct remote_frames){ .room = ROOM };
	return remote_frames_find(&reader, &tracer, NULL, list, &frames, why);
}

/* Returns how many workers are forked for this number of stopped threads. */
static int workers_for(size_t count, size_t room)
{
	struct tracee *threads = calloc(count, sizeof(*threads));
	struct tracer tracer = { .threads = threads };
	struct stack_reader reader = { 0 };
	char *why = NULL;

	assert_int_equal(
		remote_frames_prepare(&reader, &tracer, NULL, ROOM, &why), 0);
	for (size_t i = 0; i < count; i++)
		threads[i].is_gone = i >= THREADS;
	tracer.count = count;
	begun = 0;
	memset(&answered, 0, sizeof(answered));
	frames = (struct remote_frames){ .room = room };
	assert_int_equal(remote_frames_find(&reader, &tracer, NULL,
					    (struct wire_stopped[THREADS]){ 0 },
					    &frames, &why),
			 0);
	remote_frames_free(&frames);
	free(threads);
	return begun;
}

static void a_worker_without_room_is_replaced(void **state)
{
	(void)state;
	assert_int_equal(workers_for(THREADS, ROOM), 0);
	assert_int_equal(workers_for(2 * THREADS, ROOM), 0);
	assert_int_equal(workers_for(1000, ROOM), 1);
	assert_int_equal(workers_for(THREADS, 10 * ROOM + 1000), 1);
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
		cmocka_unit_test(a_worker_without_room_is_replaced),
		cmocka_unit_test(an_error_leaves_a_thread_without_frames),
		cmocka_unit_test(
			more_frames_than_there_is_room_for_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
