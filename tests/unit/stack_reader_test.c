/* SPDX-License-Identifier: MIT */
/*
 * Tests of the worker that reads stacks, also when it fails
 * (cli/attach/stack_reader.h).
 */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/now.h"
#include "cli/attach/stack_reader.h"

#define WORDS 4

static const uint64_t in_memory = 0x1234;
static int memory; /* descriptor of this process's memory */

/* Returns a reader with a running worker. */
static struct stack_reader begin(stack_reading read, const void *context,
				 size_t request_bytes, size_t answer_bytes)
{
	struct stack_reader reader = { 0 };
	char *why = NULL;

	assert_int_equal(stack_reader_begin(&reader, memory, read, context,
					    request_bytes, answer_bytes, 0,
					    &why),
			 0);
	return reader;
}

static const void *ask(struct stack_reader *reader, const void *request,
		       size_t bytes)
{
	const void *answer = NULL;
	char *why = NULL;

	if (stack_reader_ask(reader, request, bytes, &answer, &why) != 0)
		fail_msg("%s", why);
	return answer;
}

static void read_word(const void *context, const void *request, void *answer)
{
	const uint64_t *at = request;
	uint64_t *words = answer;

	if (pread(memory, words, sizeof(*words), (off_t)*at) ==
	    (ssize_t)sizeof(*words))
		words[WORDS - 1] = *(const uint64_t *)context;
}

static void an_answer_arrives(void **state)
{
	const uint64_t mark = 5, at = (uint64_t)(uintptr_t)&in_memory;
	struct stack_reader reader =
		begin(read_word, &mark, sizeof(at), WORDS * sizeof(uint64_t));
	const uint64_t *words = ask(&reader, &at, sizeof(at));

	(void)state;
	assert_int_equal(words[0], in_memory);
	assert_int_equal(words[1], 0);
	assert_int_equal(words[WORDS - 1], mark);
	stack_reader_end(&reader);
}

/* The worker is forked before the memory has its final content. */
static void one_worker_answers_several_requests(void **state)
{
	static volatile uint64_t changing;
	const uint64_t mark = 5, at = (uint64_t)(uintptr_t)&changing;
	struct stack_reader reader =
		begin(read_word, &mark, sizeof(at), WORDS * sizeof(uint64_t));
	const pid_t worker = reader.worker;

	(void)state;
	for (uint64_t i = 1; i < 1000; i++) {
		changing = i;
		assert_int_equal(
			*(const uint64_t *)ask(&reader, &at, sizeof(at)), i);
	}
	assert_int_equal(reader.worker, worker);
	stack_reader_end(&reader);
	assert_int_equal(reader.worker, 0);
	assert_int_equal(kill(worker, 0), -1);
}

static void be_busy(const void *context, const void *request, void *answer)
{
	const uint64_t start_ns = now_ns(CLOCK_MONOTONIC);

	while (now_ns(CLOCK_MONOTONIC) < start_ns + 200000000)
		;
	*(int *)answer = getpid();
}

/* A new worker gives each request nearly a whole second of CPU time. */
static void a_worker_that_used_much_time_is_replaced(void **state)
{
	struct stack_reader reader = begin(be_busy, NULL, 0, sizeof(int));
	char *why = NULL;

	(void)state;
	for (int i = 0; i < 3; i++) {
		const pid_t before = reader.worker;

		assert_int_equal(*(const int *)ask(&reader, NULL, 0), before);
		assert_int_equal(stack_reader_begin(&reader, memory, be_busy,
						    NULL, 0, sizeof(int), 0,
						    &why),
				 0);
		assert_int_not_equal(reader.worker, before);
		assert_int_equal(kill(before, 0), -1);
	}
	stack_reader_end(&reader);
}

static int is_refused(long result)
{
	return result < 0 && errno == EPERM;
}

/* Returns the number of the first claim that is false. */
static int first_false(void)
{
	char *const none[] = { NULL };
	const int are_true[] = {
		is_refused(open("/proc/self/exe", O_RDONLY)),
		is_refused(pwrite(memory, "x", 1, 0)),
		is_refused(write(memory, "x", 1)),
		is_refused(socket(AF_UNIX, SOCK_STREAM, 0)),
		is_refused(execve("/bin/true", none, none)),
		is_refused(fork()),
		is_refused(kill(getppid(), 0)),
		is_refused(dup(memory)),
		pread(STDIN_FILENO, &(char){ 0 }, 1, 0) < 0 && errno == EBADF,
		pread(STDERR_FILENO, &(char){ 0 }, 1, 0) < 0 && errno == EBADF,
	};
	const int count = (int)(sizeof(are_true) / sizeof(*are_true));

	for (int i = 0; i < count; i++)
		if (!are_true[i])
			return i + 1;
	return 0;
}

static void try_all(const void *context, const void *request, void *answer)
{
	*(int *)answer = 100 + first_false();
}

static void a_reader_can_only_read_its_descriptor(void **state)
{
	struct stack_reader reader = begin(try_all, NULL, 0, sizeof(int));

	(void)state;
	assert_int_equal(*(const int *)ask(&reader, NULL, 0), 100);
	stack_reader_end(&reader);
}

static void get_signals(const void *context, const void *request, void *answer)
{
	raise(SIGINT);
	raise(SIGTERM);
	raise(SIGHUP);
	raise(SIGQUIT);
	raise(SIGTSTP);
	*(int *)answer = 1;
}

/* Ctrl-C ends `clew attach`, which needs its reader to detach. */
static void a_reader_ignores_signals_that_end_its_caller(void **state)
{
	struct stack_reader reader = begin(get_signals, NULL, 0, sizeof(int));

	(void)state;
	assert_int_equal(*(const int *)ask(&reader, NULL, 0), 1);
	stack_reader_end(&reader);
}

static void crash(const void *context, const void *request, void *answer)
{
	raise(SIGSEGV);
}

static void abort_it(const void *context, const void *request, void *answer)
{
	abort();
}

static void hang(const void *context, const void *request, void *answer)
{
	for (;;)
		;
}

static void end_early(const void *context, const void *request, void *answer)
{
	_exit(0);
}

/*
 * Without malloc(), because a sanitizer's malloc() ends the process
 * differently.
 */
static void eat_memory(const void *context, const void *request, void *answer)
{
	while (mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		;
	_exit(1);
}

static void assert_refused(stack_reading read, const char *word)
{
	struct stack_reader reader = begin(read, NULL, 0, sizeof(int));
	const void *answer = NULL;
	char *why = NULL;

	assert_int_equal(stack_reader_ask(&reader, NULL, 0, &answer, &why),
			 -EBADMSG);
	assert_null(answer);
	assert_int_equal(reader.worker, 0);
	assert_non_null(strstr(why, "its stacks cannot be read: "));
	assert_non_null(strstr(why, word));
	free(why);
}

/* A worker can die before the first request. */
static void a_worker_that_is_killed_is_an_error(void **state)
{
	struct stack_reader reader = begin(crash, NULL, 0, sizeof(int));
	const void *answer = NULL;
	char *why = NULL;

	(void)state;
	kill(reader.worker, SIGSEGV);
	assert_int_equal(stack_reader_ask(&reader, NULL, 0, &answer, &why),
			 -EBADMSG);
	assert_non_null(strstr(why, "crashed (Segmentation fault)"));
	free(why);
}

static void a_reader_that_does_not_answer_is_an_error(void **state)
{
	(void)state;
	assert_refused(crash, "crashed (Segmentation fault)");
	assert_refused(abort_it, "crashed (Aborted)");
	assert_refused(hang, "reading took more than");
	assert_refused(end_early, "failed");
	assert_refused(eat_memory, "failed");
}

/*
 * In a child of the caller: delays the start of the caller's next child by more
 * than the time limit of an answer. Writes to `ready` when it traces the
 * caller.
 */
static void delay_child(pid_t caller, int ready)
{
	const struct timespec over_limit = { .tv_sec = 3,
					     .tv_nsec = 200000000 };
	unsigned long child = 0;
	int status;

	if (ptrace(PTRACE_SEIZE, caller, 0, (long)PTRACE_O_TRACEFORK) != 0)
		_exit(1);
	if (write(ready, "", 1) != 1)
		_exit(1);
	while (waitpid(caller, &status, __WALL) == caller &&
	       status >> 16 != PTRACE_EVENT_FORK)
		ptrace(PTRACE_CONT, caller, 0, (long)WSTOPSIG(status));
	ptrace(PTRACE_GETEVENTMSG, caller, 0, &child);
	ptrace(PTRACE_DETACH, caller, 0, 0);
	waitpid((pid_t)child, &status, __WALL);
	nanosleep(&over_limit, NULL);
	ptrace(PTRACE_DETACH, (pid_t)child, 0, 0);
	_exit(0);
}

/*
 * Begins with a worker that starts late. Skips the test if no process may trace
 * another one. Returns what stack_reader_begin() does.
 */
static int begin_late(struct stack_reader *reader, int threads_wait, char **why)
{
	const pid_t caller = getpid();
	int ready[2], status, err;
	pid_t delayer;
	char c;

	assert_int_equal(pipe(ready), 0);
	delayer = fork();
	if (!delayer)
		delay_child(caller, ready[1]);
	close(ready[1]);
	prctl(PR_SET_PTRACER, delayer); /* fails without Yama */
	if (read(ready[0], &c, 1) != 1) {
		close(ready[0]);
		waitpid(delayer, &status, 0);
		skip();
	}
	close(ready[0]);
	err = stack_reader_begin(reader, memory, get_signals, NULL, 0,
				 sizeof(int), threads_wait, why);
	assert_int_equal(waitpid(delayer, &status, 0), delayer);
	assert_int_equal(status, 0);
	return err;
}

/* On busy machines a forked process may have to wait until it runs. */
static void a_worker_may_start_late(void **state)
{
	const uint64_t start_ns = now_ns(CLOCK_MONOTONIC);
	struct stack_reader reader = { 0 };
	char *why = NULL;

	(void)state;
	assert_int_equal(begin_late(&reader, 0, &why), 0);
	assert_true(now_ns(CLOCK_MONOTONIC) - start_ns > 3000000000);
	assert_int_equal(*(const int *)ask(&reader, NULL, 0), 1);
	stack_reader_end(&reader);
}

static void a_late_start_is_refused_while_threads_wait(void **state)
{
	struct stack_reader reader = { 0 };
	char *why = NULL;

	(void)state;
	assert_int_equal(begin_late(&reader, 1, &why), -EBADMSG);
	assert_int_equal(reader.worker, 0);
	assert_non_null(strstr(why, "did not start in 3 s"));
	free(why);
}

/* With SIGCHLD ignored, the kernel reaps children without a status. */
static void a_crash_is_seen_where_children_are_ignored(void **state)
{
	(void)state;
	signal(SIGCHLD, SIG_IGN);
	assert_refused(crash, "failed");
	signal(SIGCHLD, SIG_DFL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_answer_arrives),
		cmocka_unit_test(one_worker_answers_several_requests),
		cmocka_unit_test(a_worker_that_used_much_time_is_replaced),
		cmocka_unit_test(a_reader_can_only_read_its_descriptor),
		cmocka_unit_test(a_reader_ignores_signals_that_end_its_caller),
		cmocka_unit_test(a_worker_that_is_killed_is_an_error),
		cmocka_unit_test(a_reader_that_does_not_answer_is_an_error),
		cmocka_unit_test(a_worker_may_start_late),
		cmocka_unit_test(a_late_start_is_refused_while_threads_wait),
		cmocka_unit_test(a_crash_is_seen_where_children_are_ignored),
	};

	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
