/* SPDX-License-Identifier: MIT */
/*
 * Tests of calls in threads of another process (cli/attach/remote_call.h), and
 * of the state of these threads afterwards.
 */
#include "unit.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/attach/interrupted.h"
#include "cli/attach/remote_call.h"
#include "cli/attach/stopped_registers.h"
#include "cli/attach/tracer.h"
#include "cli/target/target.h"

#define LONG_NS UINT64_C(20000000000)

/* Memory that this process shares with the children that it forks. */
static struct {
	_Atomic int rounds, result, is_in_call, is_to_return, has_returned;
} * shared;

static int until(_Atomic int *what, int more_than)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; i < 20000 && atomic_load(what) <= more_than; i++)
		nanosleep(&moment, NULL);
	return atomic_load(what) > more_than;
}

static void stop_oneself(void)
{
	kill(getpid(), SIGSTOP);
}

static void take_until_told(void)
{
	atomic_store(&shared->is_in_call, 1);
	until(&shared->is_to_return, 0);
	atomic_store(&shared->has_returned, 1);
}

static pid_t start(void (*run)(void))
{
	pid_t child;

	memset(shared, 0, sizeof(*shared));
	child = fork();
	if (child)
		return child;
	run();
	_exit(0);
}

static void go_round(void)
{
	for (;;) {
		poll(NULL, 0, 1);
		atomic_fetch_add(&shared->rounds, 1);
	}
}

static void end(pid_t child)
{
	int status;

	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, __WALL), child);
}

/* Makes the stopped child call a function, for at most this time. */
static int call_stopped(struct tracer *tracer, pid_t child,
			void (*function)(void), uint64_t patience_ns)
{
	const uint64_t none[REMOTE_ARGUMENTS] = { 0 };
	struct target_maps maps;
	struct remote_call call;
	char *why = NULL;
	int err;

	assert_int_equal(target_read_maps(child, &maps, &why), 0);
	call = (struct remote_call){
		.tracer = tracer,
		.thread = &tracer->threads[0],
		.restorer = target_bytes(
			child, target_module(&maps, "libc.so.6"),
			remote_restorer_code, remote_restorer_bytes),
		.errno_at = (uintptr_t)&errno,
	};
	target_free_maps(&maps);
	assert_true(call.restorer);
	assert_int_equal(remote_begin(&call, "", 1), 0);
	err = remote_run(&call, (uintptr_t)function, none, patience_ns);
	remote_end(&call);
	return err;
}

static int call_in(struct tracer *tracer, pid_t child, void (*function)(void),
		   uint64_t patience_ns)
{
	char *why = NULL;

	assert_int_equal(tracer_open(tracer, child, &why), 0);
	assert_int_equal(tracer_stop_one(tracer, child, LONG_NS, &why), 0);
	return call_stopped(tracer, child, function, patience_ns);
}

static void a_stop_during_the_call_takes_effect_after_it(void **state)
{
	const pid_t child = start(go_round);
	struct tracer tracer;
	int status;

	assert_int_equal(call_in(&tracer, child, stop_oneself, LONG_NS), 0);
	tracer_close(&tracer);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	assert_int_equal(WSTOPSIG(status), SIGSTOP);
	kill(child, SIGCONT);
	assert_true(until(&shared->rounds, atomic_load(&shared->rounds)));
	end(child);
}

/* The tracer lets a timed-out call finish, as it may hold locks. */
static void a_call_that_takes_too_long_is_finished(void **state)
{
	const pid_t child = start(go_round);
	struct tracer tracer;
	const pid_t controller = fork();
	int status;

	if (!controller)
		_exit(call_in(&tracer, child, take_until_told, 50000000) !=
		      -ETIMEDOUT);
	assert_int_equal(waitpid(controller, &status, 0), controller);
	assert_int_equal(status, 0);
	atomic_store(&shared->is_to_return, 1);
	assert_true(until(&shared->has_returned, 0));
	assert_true(until(&shared->rounds, atomic_load(&shared->rounds)));
	end(child);
}

static void sleep_once(void)
{
	const struct timespec time = { .tv_nsec = 300000000 };

	atomic_store(&shared->rounds, 1);
	atomic_store(&shared->result, nanosleep(&time, NULL) ? errno : 1000);
}

static void a_wait_continues_after_the_controller_is_killed(void **state)
{
	const pid_t child = start(sleep_once);
	struct tracer tracer;
	pid_t controller;

	assert_true(until(&shared->rounds, 0));
	controller = fork();
	if (!controller)
		_exit(call_in(&tracer, child, take_until_told, LONG_NS));
	assert_true(until(&shared->is_in_call, 0));
	end(controller);
	atomic_store(&shared->is_to_return, 1);
	assert_true(until(&shared->result, 0));
	assert_int_equal(atomic_load(&shared->result), 1000);
	end(child);
}

static void *count_rounds(void *none)
{
	go_round();
	return none;
}

static void go_round_in_two_threads(void)
{
	pthread_t other;

	pthread_create(&other, NULL, count_rounds, NULL);
	go_round();
}

/* All threads of the process are traced, and the main thread ends last. */
static void the_end_of_a_process_ends_its_call(void **state)
{
	const pid_t child = start(go_round_in_two_threads);
	struct tracer tracer;
	char *why = NULL;
	pid_t controller;
	int status;

	assert_true(until(&shared->rounds, 10));
	controller = fork();
	if (!controller) {
		if (tracer_open(&tracer, child, &why) != 0 ||
		    tracer_stop_all(&tracer, LONG_NS, &why) != 0 ||
		    tracer.count != 2)
			_exit(1);
		_exit(call_stopped(&tracer, child, take_until_told, LONG_NS) ==
				      -ESRCH
			      ? 0
			      : 2);
	}
	assert_true(until(&shared->is_in_call, 0));
	kill(child, SIGKILL);
	assert_int_equal(waitpid(controller, &status, 0), controller);
	assert_int_equal(status, 0);
	end(child);
}

static int last_for_a_while(void *none)
{
	atomic_store(&shared->rounds, 1);
	return poll(NULL, 0, 1500);
}

/*
 * Calls vfork(). The caller cannot be stopped until its child has exited, which
 * takes a while.
 */
static void vfork_for_a_while(void)
{
	char stack[16384] __attribute__((aligned(16)));

	clone(last_for_a_while, stack + sizeof(stack),
	      CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	atomic_store(&shared->result, 1);
	pause();
}

static void a_thread_that_does_not_stop_in_time_continues(void **state)
{
	const pid_t child = start(vfork_for_a_while);
	struct tracer tracer;
	char *why = NULL;

	assert_true(until(&shared->rounds, 0));
	assert_int_equal(tracer_open(&tracer, child, &why), 0);
	assert_int_equal(tracer_stop_one(&tracer, child, 1000000, &why),
			 -EAGAIN);
	assert_true(until(&shared->result, 0));
	tracer_close(&tracer);
	end(child);
}

enum { HAS_EINTR = 1, HAS_EVENT };

static int event; /* event of the child */

static void raise_event(int signal)
{
	(void)signal;
	eventfd_write(event, 1);
}

static void wait_for_event(void)
{
	const struct sigaction action = { .sa_handler = raise_event };
	struct epoll_event wanted = { .events = EPOLLIN };
	const int epoll = epoll_create1(0);
	int count;

	event = eventfd(0, 0);
	epoll_ctl(epoll, EPOLL_CTL_ADD, event, &wanted);
	sigaction(SIGUSR1, &action, NULL);
	atomic_store(&shared->is_in_call, 1);
	count = epoll_wait(epoll, &wanted, 1, -1);
	atomic_store(&shared->result, count == 1 ? HAS_EVENT : HAS_EINTR);
	pause();
}

/* Stops the child in epoll_wait(), which returns because of the stop. */
static void stop_in_wait(struct tracer *tracer, pid_t child)
{
	const struct timespec moment = { .tv_nsec = 1000000 };
	char *why = NULL;

	assert_true(until(&shared->is_in_call, 0));
	for (int i = 0; i < 20000; i++) {
		assert_int_equal(tracer_open(tracer, child, &why), 0);
		assert_int_equal(tracer_stop_one(tracer, child, LONG_NS, &why),
				 0);
		if (stopped_call(&tracer->threads[0].registers) ==
		    SYS_epoll_wait)
			return;
		tracer_close(tracer);
		nanosleep(&moment, NULL);
	}
	fail();
}

static void a_wait_continues_after_a_stop(void **state)
{
	const pid_t child = start(wait_for_event);
	struct tracer tracer;

	stop_in_wait(&tracer, child);
	tracer_close(&tracer);
	stop_in_wait(&tracer,
		     child); /* again, because the wait has not returned */
	assert_int_equal(atomic_load(&shared->result), 0);
	tracer_close(&tracer);
	end(child);
}

/*
 * The thread is prepared to continue its wait, and gets the signal before it
 * continues.
 */
static void a_signal_handler_ends_a_restarted_wait(void **state)
{
	const pid_t child = start(wait_for_event);
	struct tracer tracer;

	stop_in_wait(&tracer, child);
	interrupted_go_on(&tracer.threads[0]);
	kill(child, SIGUSR1);
	tracer_close(&tracer);
	assert_true(until(&shared->result, 0));
	assert_int_equal(atomic_load(&shared->result), HAS_EINTR);
	end(child);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stop_during_the_call_takes_effect_after_it),
		cmocka_unit_test(a_call_that_takes_too_long_is_finished),
		cmocka_unit_test(
			a_wait_continues_after_the_controller_is_killed),
		cmocka_unit_test(the_end_of_a_process_ends_its_call),
		cmocka_unit_test(a_thread_that_does_not_stop_in_time_continues),
		cmocka_unit_test(a_wait_continues_after_a_stop),
		cmocka_unit_test(a_signal_handler_ends_a_restarted_wait),
	};

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
