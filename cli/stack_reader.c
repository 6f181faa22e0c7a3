/* SPDX-License-Identifier: MIT */
#include "cli/stack_reader.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/fail.h"
#include "base/memory.h"
#include "symbolizer/worker.h"

/*
 * The threads are stopped meanwhile. As much as unwinding ever reads (cli/unwinding.c) takes
 * half a second.
 */
#define SECONDS 1
#define BYTES   (UINT64_C(256) << 20)

/* In shared memory, before the answer. */
struct reading_end {
	_Alignas(16) uint32_t is_reached; /* the worker writes it last */
};

struct reading_request {
	stack_reading read;
	const void *request;
	struct reading_end *end;
};

static int work(const void *context, int fd)
{
	const struct reading_request *reading = context;

	reading->read(reading->request, reading->end + 1);
	reading->end->is_reached = 1;
	return 0;
}

static int run(const struct reading_request *reading, int memory, char **why)
{
	const struct worker_limits limits = {
		.seconds = SECONDS,
		.bytes = BYTES,
		.only_reads_fd = 1,
	};
	char reason[WORKER_WHY_BYTES] = "the worker process failed";
	int err = worker_run(&limits, work, reading, memory, reason);

	if (err == -ENOMEM) /* then nothing can be detached: the guardian can */
		memory_exhausted();
	if (!err && !reading->end->is_reached)
		err = -ECHILD;
	if (err == -ECHILD)
		return fail(why, -EBADMSG, "its stacks cannot be read: %s",
			    reason);
	return err ? fail(why, err, "its stacks cannot be read: %s",
			  strerror(-err))
		   : 0;
}

int stack_reader_run(int memory, stack_reading read, const void *request,
		     size_t bytes, void **answer, char **why)
{
	struct reading_end *end =
		mmap(NULL, sizeof(*end) + bytes, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const struct reading_request reading = { read, request, end };
	int err;

	if (end == MAP_FAILED)
		memory_exhausted();
	err = run(&reading, memory, why);
	if (err)
		munmap(end, sizeof(*end) + bytes);
	else
		*answer = end + 1;
	return err;
}

void stack_reader_free(void *answer, size_t bytes)
{
	struct reading_end *end = (struct reading_end *)answer - 1;

	munmap(end, sizeof(*end) + bytes);
}
