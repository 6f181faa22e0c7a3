/* SPDX-License-Identifier: MIT */
/* Tests of the processes that `clew top` reads and ends. */
#include "tests/unit/unit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/show/top_target.h"

/* The CPU time of one string comparison for each pair of paths is longer. */
enum { PATHS = 100000, SECONDS = 20 };

static pid_t start_sleeper(void)
{
	const pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	assert_true(pid > 0);
	return pid;
}

/* Returns the signal that ended a child of this test, or 0. */
static int signal_that_ended(pid_t pid, int options)
{
	int status = 0;

	if (waitpid(pid, &status, options) != pid)
		return 0;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/*
 * Runs a recorder: starts a program, ignores SIGTERM like it, and exits with
 * the signal that has ended the program.
 */
static _Noreturn void be_recorder(int started)
{
	pid_t program;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGTERM, SIG_IGN);
	program = start_sleeper();
	if (write(started, "", 1) != 1)
		_exit(0);
	_exit(signal_that_ended(program, 0));
}

static void only_the_program_of_the_recorder_is_killed(void **state)
{
	struct top_target target = {
		.pid = start_sleeper(), /* another process has its pid now */
		.is_started = 1,
		.patience_s = SECONDS,
	};
	const pid_t other = target.pid;
	int started[2];
	char byte;

	(void)state;
	assert_int_equal(pipe(started), 0);
	target.recorder = fork();
	if (target.recorder == 0)
		be_recorder(started[1]);
	assert_int_equal(read(started[0], &byte, 1), 1);
	close(started[0]);
	close(started[1]);
	alarm(SECONDS);
	top_target_close(&target);
	alarm(0);
	assert_int_equal(signal_that_ended(other, WNOHANG), 0);
	assert_int_equal(kill(other, SIGKILL), 0);
	assert_int_equal(signal_that_ended(other, 0), SIGKILL);
}

static void a_recorder_that_does_not_end_is_left_alone(void **state)
{
	char folder[] = "/tmp/clew-top-test-XXXXXX";
	struct top_target target = { .patience_s = 1 };
	pid_t recorder;

	(void)state;
	assert_non_null(mkdtemp(folder));
	target.folder = strdup(folder);
	target.recorder = recorder = start_sleeper();
	assert_int_equal(kill(recorder, SIGSTOP), 0);
	assert_int_equal(waitpid(recorder, NULL, WUNTRACED), recorder);
	alarm(SECONDS);
	top_target_close(&target);
	alarm(0);
	assert_int_equal(signal_that_ended(recorder, WNOHANG), 0);
	assert_int_equal(rmdir(folder), 0); /* its files remain */
	assert_int_equal(kill(recorder, SIGKILL), 0);
	assert_int_equal(signal_that_ended(recorder, 0), SIGKILL);
}

static void many_parts_are_found_quickly(void **state)
{
	struct live_counts counts;
	char path[64];

	(void)state;
	live_counts_init(&counts);
	alarm(SECONDS);
	for (int i = 0; i < PATHS; i++) {
		snprintf(path, sizeof(path), "/tmp/clew-top/clew.out/%d", i);
		assert_false(live_counts_has(&counts, path));
		live_counts_add(&counts, path);
		assert_true(live_counts_has(&counts, path));
	}
	alarm(0);
	live_counts_fini(&counts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_program_of_the_recorder_is_killed),
		cmocka_unit_test(a_recorder_that_does_not_end_is_left_alone),
		cmocka_unit_test(many_parts_are_found_quickly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
