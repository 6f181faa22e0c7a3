/* SPDX-License-Identifier: MIT */
/* See stack_reader.h. */
#include "cli/attach/stack_reader.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory.h"
#include "base/now.h"
#include "cli/attach/priority.h"
#include "symbolizer/indexer/worker.h"

/*
 * Limits of the worker, short because the threads of the process are stopped
 * meanwhile. The most that unwinding may read (cli/attach/unwinding.c) takes
 * half a second.
 */
#define SECONDS        1
#define BYTES          (UINT64_C(256) << 20)
#define ANSWER_SECONDS (SECONDS * WORKER_CLOCK_FACTOR)

/*
 * Limit for the start of the worker while the threads run. On busy machines a
 * forked process sometimes waits for more than 3 s until it runs.
 */
#define START_SECONDS 30

/* A worker whose answers have taken this long in total is replaced. */
#define USED_MAX_NS UINT64_C(100000000)

/* Nanoseconds between the caller's checks whether the worker has died. */
#define POLL_NS   1000000

#define ALIGNMENT 16

/*
 * The beginning of the shared memory; the request and then the answer follow.
 */
struct stack_reader_memory {
	_Alignas(ALIGNMENT) _Atomic uint32_t asked; /* Written by the caller. */
	/*
	 * Written by the worker: 1 when the worker is confined, then 1 more for
	 * each answer.
	 */
	_Atomic uint32_t answered;
};

static const struct worker_limits limits = {
	.seconds = SECONDS,
	.bytes = BYTES,
	.only_reads_fd = 1,
	.has_no_alarm = 1,
};

static size_t align(size_t bytes)
{
	return (bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static void *request_of(const struct stack_reader *reader)
{
	return reader->shared + 1;
}

static void *answer_of(const struct stack_reader *reader)
{
	return (char *)request_of(reader) + align(reader->request_bytes);
}

static size_t shared_bytes(const struct stack_reader *reader)
{
	return sizeof(*reader->shared) + align(reader->request_bytes) +
	       reader->answer_bytes;
}

/* Waits until *word is not `value` any more, at most POLL_NS. */
static void await_change(_Atomic uint32_t *word, uint32_t value)
{
	const struct timespec moment = { .tv_nsec = POLL_NS };

	syscall(SYS_futex, word, FUTEX_WAIT, value, &moment, NULL, 0);
}

static void change(_Atomic uint32_t *word, uint32_t value)
{
	*word = value;
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* ---- In the worker ---- */

struct stack_reading_work {
	const struct stack_reader *reader;
	stack_reading read;
	const void *context;
};

/* Answers requests until the caller kills the worker. */
static int answer_all(const void *context, int fd)
{
	const struct stack_reading_work *reading = context;
	const struct stack_reader *reader = reading->reader;
	struct stack_reader_memory *shared = reader->shared;

	(void)fd;
	for (uint32_t answered = 1; answered; answered++) {
		change(&shared->answered, answered);
		while (shared->asked == answered)
			syscall(SYS_futex, &shared->asked, FUTEX_WAIT, answered,
				NULL, NULL, 0);
		reading->read(reading->context, request_of(reader),
			      answer_of(reader));
	}
	return 0;
}

/* ---- In the caller ---- */

/*
 * Returns whether the worker has exited, or cannot be waited for. Leaves it a
 * zombie, because worker_wait() reads its status.
 */
static int has_ended(pid_t worker)
{
	siginfo_t news = { 0 };

	return waitid(P_PID, (id_t)worker, &news,
		      WEXITED | WNOHANG | WNOWAIT) != 0 ||
	       news.si_pid;
}

/*
 * Called if the worker has died or takes too long: ends it. Returns -errno and
 * *why.
 */
static int explain_end(struct stack_reader *reader, char **why)
{
	char reason[WORKER_WHY_BYTES] = "the worker process failed";
	int err;

	if (!has_ended(reader->worker))
		kill(reader->worker, SIGKILL);
	err = worker_wait(reader->worker, &limits, reason);
	reader->worker = 0;
	stack_reader_end(reader);
	/* If memory is short, clew ends here; the guardian then detaches. */
	if (err == -ENOMEM)
		memory_exhausted();
	if (!err || err == -ECHILD)
		return fail(why, -EBADMSG, "its stacks cannot be read: %s",
			    reason);
	return fail(why, err, "its stacks cannot be read: %s", strerror(-err));
}

static int fail_to_start(struct stack_reader *reader, unsigned int seconds,
			 char **why)
{
	stack_reader_end(reader);
	return fail(why, -EBADMSG,
		    "its stacks cannot be read: the machine is so busy that "
		    "the process that reads them did not start in %u s",
		    seconds);
}

/*
 * Waits for the answer to the last request, or until the worker has started.
 * Wrong values that the worker writes can only make this function return too
 * early or fail. Returns 0, or -errno and *why.
 */
static int await_answer(struct stack_reader *reader, unsigned int seconds,
			char **why)
{
	const uint64_t start_ns = now_ns(CLOCK_MONOTONIC);
	const uint64_t most_ns = UINT64_C(1000000000) * seconds;
	struct stack_reader_memory *shared = reader->shared;
	uint64_t passed_ns = 0;
	uint32_t answered;

	while ((answered = shared->answered) != reader->asked) {
		await_change(&shared->answered, answered);
		passed_ns = now_ns(CLOCK_MONOTONIC) - start_ns;
		if (passed_ns >= most_ns && reader->asked == 1)
			return fail_to_start(reader, seconds, why);
		if (passed_ns >= most_ns ||
		    (shared->answered != reader->asked &&
		     has_ended(reader->worker)))
			return explain_end(reader, why);
	}
	reader->used_ns += passed_ns;
	return 0;
}

int stack_reader_begin(struct stack_reader *reader, int memory,
		       stack_reading read, const void *context,
		       size_t request_bytes, size_t answer_bytes,
		       int threads_wait, char **why)
{
	const struct stack_reading_work reading = { reader, read, context };
	pid_t worker;
	int err;

	if (reader->worker && reader->used_ns < USED_MAX_NS)
		return 0;
	stack_reader_end(reader);
	*reader = (struct stack_reader){ .asked = 1,
					 .request_bytes = request_bytes,
					 .answer_bytes = answer_bytes };
	reader->shared =
		mmap(NULL, shared_bytes(reader), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (reader->shared == MAP_FAILED)
		memory_exhausted();
	reader->shared->asked = 1;
	worker = worker_start(&limits, answer_all, &reading, memory);
	if (worker == -ENOMEM)
		memory_exhausted();
	if (worker < 0) {
		stack_reader_end(reader);
		return fail(why, worker, "its stacks cannot be read: %s",
			    strerror(-worker));
	}
	reader->worker = worker;
	err = await_answer(reader,
			   threads_wait ? ANSWER_SECONDS : START_SECONDS, why);
	if (!err)
		priority_raise(worker);
	return err;
}

int stack_reader_ask(struct stack_reader *reader, const void *request,
		     size_t bytes, const void **answer, char **why)
{
	int err;

	if (bytes > 0)
		memcpy(request_of(reader), request, bytes);
	change(&reader->shared->asked, ++reader->asked);
	err = await_answer(reader, ANSWER_SECONDS, why);
	if (!err)
		*answer = answer_of(reader);
	return err;
}

void stack_reader_end(struct stack_reader *reader)
{
	char reason[WORKER_WHY_BYTES];

	if (reader->worker) {
		if (!has_ended(reader->worker))
			kill(reader->worker, SIGKILL);
		worker_wait(reader->worker, &limits, reason);
	}
	if (reader->shared)
		munmap(reader->shared, shared_bytes(reader));
	*reader = (struct stack_reader){ 0 };
}
