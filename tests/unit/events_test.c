/* SPDX-License-Identifier: MIT */
/* Tests of preload/time/events.c with an event of the kernel. */
#include "preload/time/events.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

#include "preload/sys/lock.h"
#include "tests/unit/empty_part.h"
#include "tests/unit/unit.h"

#define RATE_HZ     1000
#define PERIOD_NS   1000000
#define PATIENCE_NS UINT64_C(5000000000)

static struct tally tally;
static struct wire_header former;
static _Atomic int is_over;
static uint64_t signals; /* the signal mask before the event began */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

static int begin(void **state)
{
	const struct events_ticks ticks = { .length_ns = 4 * PERIOD_NS,
					    .signal = SIGPROF };

	if (empty_part_begin(1))
		return -1;
	former = *rt.header;
	rt.header = &former;
	former.rate_hz = RATE_HZ;
	former.period_ns = PERIOD_NS;
	former.time = WIRE_TIME_CPU;
	tally.tid = (uint32_t)sys_gettid();
	tally.hot = &hot;
	hot.tally = &tally;
	tally.ticks.calm_us = INT32_MAX;
	events_start(&ticks);
	sys_block_signals(&signals);
	events_begin(&tally, 0);
	return 0;
}

/* Waits until the signal handler waits for the lock, and releases it. */
static void *release_when_awaited(void *unused)
{
	struct lock *lock = &rt.recorder->tallies.lock;
	const uint64_t since_ns = clock_ns(CLOCK_MONOTONIC);
	int is_awaited = 0;

	while (!is_awaited &&
	       clock_ns(CLOCK_MONOTONIC) - since_ns < PATIENCE_NS)
		is_awaited = lock->held == LOCK_AWAITED;
	lock_release(lock, &signals);
	is_over = 1;
	return is_awaited ? lock : NULL;
}

/* The event was created while its session ended. */
static void event_of_a_former_session_is_ended_under_the_lock(void **state)
{
	pthread_t thread;
	void *result;

	if (!tally.ticks.event)
		skip();
	rt.header = recorder->part.header;
	assert_true(lock_try(&rt.recorder->tallies.lock));
	pthread_create(&thread, NULL, release_when_awaited, NULL);
	sys_restore_signals(&signals);
	while (!is_over)
		;
	pthread_join(thread, &result);
	assert_non_null(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			event_of_a_former_session_is_ended_under_the_lock),
	};

	return cmocka_run_group_tests(tests, begin, NULL);
}
