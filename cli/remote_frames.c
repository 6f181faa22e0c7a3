/* SPDX-License-Identifier: MIT */
#include "cli/remote_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attachment_copy.h"
#include "cli/stack_reader.h"
#include "cli/stopped_registers.h"
#include "cli/unwinding.h"

/* More are not looked for in one thread. */
#define FRAMES_MAX 65536

/*
 * A thread that has just been made is in nothing, which unwinders do not know where it
 * comes out of the system call: what they take for a return address there is not one.
 */
static int has_run_nothing(const struct tracer *tracer,
			   const struct tracee *thread)
{
	return thread->tid != tracer->pid &&
	       stopped_is_made(&thread->registers);
}

/* ---- In the worker ---- */

struct frames_request {
	const struct tracer *tracer;
	const struct target_maps *maps;
	size_t room;
};

/*
 * The answer: of each thread that is not gone, how many frames, or -errno; then, after
 * room for one number for each thread, all of these frames.
 */
static struct wire_frame *frames_of(int64_t *counts,
				    const struct tracer *tracer)
{
	return (struct wire_frame *)(counts + tracer->count);
}

static long find(const struct tracer *tracer, struct unwinding *unwinding,
		 const struct tracee *thread, struct wire_frame *frames,
		 size_t left)
{
	long count = -ENOSPC;

	if (left > 1)
		count = unwinding_frames(unwinding, thread, frames,
					 left - 1 < FRAMES_MAX ? left - 1
							       : FRAMES_MAX);
	if (count == -ENOENT && has_run_nothing(tracer, thread))
		count = 0;
	return count;
}

/* A zeroed frame follows those of each thread. */
static void find_all(const void *context, void *out)
{
	const struct frames_request *request = context;
	const struct tracer *tracer = request->tracer;
	int64_t *count = out;
	struct wire_frame *frames = frames_of(count, tracer);
	struct unwinding *unwinding =
		unwinding_create(tracer->memory, request->maps);
	size_t used = 0;

	for (size_t i = 0; i < tracer->count; i++) {
		if (tracer->threads[i].is_gone)
			continue;
		*count = unwinding
				 ? find(tracer, unwinding, &tracer->threads[i],
					frames + used, request->room - used)
				 : -ENOMEM;
		if (*count >= 0) {
			used += (size_t)*count;
			frames[used++] = (struct wire_frame){ 0 };
		}
		count++;
	}
}

/* ---- What it answers ---- */

/* -EBADMSG if there are more than it has room for. */
static int take_counts(const struct tracer *tracer, const int64_t *counts,
		       struct wire_stopped *stopped,
		       struct remote_frames *frames)
{
	for (size_t i = 0; i < tracer->count; i++) {
		int64_t count;

		if (tracer->threads[i].is_gone)
			continue;
		count = *counts++;
		if (count >= 0 && (size_t)count >= frames->room - frames->count)
			return -EBADMSG;
		stopped->first_frame = (uint32_t)frames->count;
		stopped->frame_count = count < 0 ? 0 : (uint32_t)count;
		stopped->is_unwound = count >= 0;
		stopped++;
		if (count >= 0)
			frames->count += (size_t)count + 1;
	}
	return 0;
}

/* Their values are the process's own, whoever wrote them: nothing here relies on them. */
static int take(const struct tracer *tracer, int64_t *answer,
		struct wire_stopped *list, struct remote_frames *frames,
		char **why)
{
	const int err = take_counts(tracer, answer, list, frames);

	if (err)
		return fail(why, err,
			    "its stacks cannot be read: the worker process "
			    "returned too many frames");
	frames->items =
		memory_zeroed(frames->count + 1, sizeof(*frames->items));
	memcpy(frames->items, frames_of(answer, tracer),
	       frames->count * sizeof(*frames->items));
	return 0;
}

static int explain(int err, char **why)
{
	return err ? fail(why, err, "its stacks cannot be written: %s",
			  strerror(-err))
		   : 0;
}

int remote_frames_find(const struct tracer *tracer,
		       const struct target_maps *maps,
		       struct wire_stopped *list, struct remote_frames *frames,
		       char **why)
{
	const struct frames_request request = { tracer, maps, frames->room };
	const size_t bytes = tracer->count * sizeof(int64_t) +
			     frames->room * sizeof(struct wire_frame);
	void *answer;
	int err = stack_reader_run(tracer->memory, find_all, &request, bytes,
				   &answer, why);

	if (err)
		return err;
	err = take(tracer, answer, list, frames, why);
	stack_reader_free(answer, bytes);
	return err ? err
		   : explain(target_write(
				     tracer->memory, frames->at, frames->items,
				     frames->count * sizeof(*frames->items)),
			     why);
}

int remote_frames_write(const struct tracer *tracer,
			struct remote_frames *frames, char **why)
{
	int err = attachment_copy_frames(tracer->memory, frames->at,
					 frames->items, frames->count);

	for (size_t i = 0; i < frames->count && !err; i++) {
		const struct wire_frame *frame = &frames->items[i];

		if (frame->at)
			err = target_write(tracer->memory, frame->at,
					   &frame->word, sizeof(frame->word));
	}
	return explain(err, why);
}

void remote_frames_free(struct remote_frames *frames)
{
	free(frames->items);
	*frames = (struct remote_frames){ 0 };
}
