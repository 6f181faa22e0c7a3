/* SPDX-License-Identifier: MIT */
/* A worker that reads stacks, whatever becomes of it (cli/stack_reader.h). */
#include "unit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cli/stack_reader.h"

#define WORDS 4

static const uint64_t in_memory = 0x1234;
static int memory; /* of this process */

static void read_word(const void *request, void *answer)
{
	uint64_t *words = answer;

	if (pread(memory, words, sizeof(*words), (off_t)(uintptr_t)request) ==
	    (ssize_t)sizeof(*words))
		words[WORDS - 1] = 1;
}

static void an_answer_arrives(void **state)
{
	uint64_t *words;
	void *answer;
	char *why = NULL;

	(void)state;
	assert_int_equal(stack_reader_run(memory, read_word, &in_memory,
					  WORDS * sizeof(*words), &answer,
					  &why),
			 0);
	words = answer;
	assert_int_equal(words[0], in_memory);
	assert_int_equal(words[1], 0);
	assert_int_equal(words[WORDS - 1], 1);
	stack_reader_free(answer, WORDS * sizeof(*words));
}

static int is_refused(long result)
{
	return result < 0 && errno == EPERM;
}

/* The number of the first claim that does not hold. */
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

static void try_all(const void *request, void *answer)
{
	*(int *)answer = 100 + first_false();
}

static void a_reader_can_only_read_its_descriptor(void **state)
{
	void *answer;
	char *why = NULL;

	(void)state;
	assert_int_equal(stack_reader_run(memory, try_all, NULL, sizeof(int),
					  &answer, &why),
			 0);
	assert_int_equal(*(int *)answer, 100);
	stack_reader_free(answer, sizeof(int));
}

static void get_signals(const void *request, void *answer)
{
	raise(SIGINT);
	raise(SIGTERM);
	raise(SIGHUP);
	raise(SIGQUIT);
	raise(SIGTSTP);
	*(int *)answer = 1;
}

/* Ctrl-C ends `clew attach`, which needs its reader to detach. */
static void a_reader_ignores_what_ends_its_caller(void **state)
{
	void *answer;
	char *why = NULL;

	(void)state;
	assert_int_equal(stack_reader_run(memory, get_signals, NULL,
					  sizeof(int), &answer, &why),
			 0);
	assert_int_equal(*(int *)answer, 1);
	stack_reader_free(answer, sizeof(int));
}

static void crash(const void *request, void *answer)
{
	raise(SIGSEGV);
}

static void abort_it(const void *request, void *answer)
{
	abort();
}

static void hang(const void *request, void *answer)
{
	for (;;)
		;
}

static void end_early(const void *request, void *answer)
{
	_exit(0);
}

/* Not by malloc(): a sanitizer's ends the process in a way of its own. */
static void eat_memory(const void *request, void *answer)
{
	while (mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED)
		;
	_exit(1);
}

static void assert_refused(stack_reading read, const char *word)
{
	void *answer = NULL;
	char *why = NULL;

	assert_int_equal(stack_reader_run(memory, read, NULL, sizeof(int),
					  &answer, &why),
			 -EBADMSG);
	assert_null(answer);
	assert_non_null(strstr(why, "its stacks cannot be read: "));
	assert_non_null(strstr(why, word));
	free(why);
}

static void a_reader_that_does_not_answer_is_an_error(void **state)
{
	(void)state;
	assert_refused(crash, "crashed (Segmentation fault)");
	assert_refused(abort_it, "crashed (Aborted)");
	assert_refused(hang, "more than 1 s of CPU");
	assert_refused(end_early, "failed");
	assert_refused(eat_memory, "failed");
}

/* Children are then reaped by the kernel, and leave no status. */
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
		cmocka_unit_test(a_reader_can_only_read_its_descriptor),
		cmocka_unit_test(a_reader_ignores_what_ends_its_caller),
		cmocka_unit_test(a_reader_that_does_not_answer_is_an_error),
		cmocka_unit_test(a_crash_is_seen_where_children_are_ignored),
	};

	memory = open("/proc/self/mem", O_RDWR | O_CLOEXEC);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
