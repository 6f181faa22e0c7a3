/* SPDX-License-Identifier: MIT */
/* Tests which thread of a process clew chooses for a call. */
#include "tests/unit/unit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cli/target/idle_order.h"

#define WORK_NS 200000000 /* many clock ticks of /proc */

struct helper {
	pthread_t thread;
	_Atomic pid_t tid;
	uint64_t work_ns;
};

static int gate[2]; /* the threads sleep in read() of this pipe */

static uint64_t used_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void *help(void *context)
{
	struct helper *helper = context;
	char byte;

	while (used_ns() < helper->work_ns)
		;
	helper->tid = (pid_t)syscall(SYS_gettid);
	return (void *)(intptr_t)read(gate[0], &byte, 1);
}

static char state_of(pid_t tid)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (!file)
		return 0;
	if (fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		state = 0;
	fclose(file);
	return state;
}

static void begin(struct helper *helper, uint64_t work_ns)
{
	helper->work_ns = work_ns;
	assert_int_equal(pthread_create(&helper->thread, NULL, help, helper),
			 0);
	while (!helper->tid || state_of(helper->tid) != 'S')
		sched_yield();
}

static void sleeping_threads_with_little_work_come_first(void **state)
{
	struct helper busy = { 0 }, idle = { 0 };
	const pid_t first = getpid();
	pid_t tids[3];

	assert_int_equal(pipe(gate), 0);
	begin(&busy, WORK_NS);
	begin(&idle, 0);
	tids[0] = first; /* the running thread */
	tids[1] = busy.tid;
	tids[2] = idle.tid;
	idle_order(first, tids, 3);
	assert_int_equal(tids[0], idle.tid);
	assert_int_equal(tids[1], busy.tid);
	assert_int_equal(tids[2], first);
	close(gate[1]);
	pthread_join(busy.thread, NULL);
	pthread_join(idle.thread, NULL);
	close(gate[0]);
}

static void an_exited_thread_stays_in_the_order(void **state)
{
	pid_t tids[2] = { INT32_MAX, getpid() };

	idle_order(getpid(), tids, 2);
	assert_int_equal(tids[0], getpid());
	assert_int_equal(tids[1], INT32_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleeping_threads_with_little_work_come_first),
		cmocka_unit_test(an_exited_thread_stays_in_the_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
