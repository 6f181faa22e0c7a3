/* SPDX-License-Identifier: MIT */
/* See remote_frames.h. */
#include "cli/attach/remote_frames.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/stopped_registers.h"
#include "cli/attach/unwinding.h"
#include "cli/target/attachment_copy.h"

/* Maximum of frames for one thread. */
#define FRAMES_MAX 65536

/* Additional room for threads that start before all threads are stopped. */
#define NEW_THREADS 64

/* ---- In the worker ---- */

struct frames_context {
	pid_t pid;
	int memory; /* Descriptor of /proc/PID/mem. */
	const struct target_maps *maps;
};

struct frames_request {
	size_t room; /* Maximum number of frames. */
	size_t count;
	struct tracee threads[];
};

static size_t request_bytes(size_t threads)
{
	return sizeof(struct frames_request) + threads * sizeof(struct tracee);
}

/*
 * Returns the size of the first part of an answer. An answer begins with room
 * for one number for each thread. The numbers are those of the threads that
 * have not exited, in order: the number of frames, or -errno. Then follow all
 * frames.
 */
static size_t counts_bytes(size_t threads)
{
	return threads * sizeof(int64_t);
}

/*
 * Returns whether the thread is new and has not yet returned from the system
 * call that created it. Its stack does not contain a valid return address yet.
 */
static int has_run_nothing(pid_t pid, const struct tracee *thread)
{
	return thread->tid != pid && stopped_is_made(&thread->registers);
}

static long find(pid_t pid, struct unwinding *unwinding,
		 const struct tracee *thread, struct wire_frame *frames,
		 size_t left)
{
	long count = -ENOSPC;

	if (left > 1)
		count = unwinding_frames(unwinding, thread, frames,
					 left - 1 < FRAMES_MAX ? left - 1
							       : FRAMES_MAX);
	if (count == -ENOENT && has_run_nothing(pid, thread))
		count = 0;
	return count;
}

/*
 * Writes the answer to a request. Behind the frames of each thread that could
 * be unwound, one frame stays zero.
 */
static void find_all(const void *of, const void *asked, void *out)
{
	const struct frames_context *context = of;
	const struct frames_request *request = asked;
	int64_t *count = out;
	struct wire_frame *frames =
		(struct wire_frame *)(count + request->count);
	struct unwinding *unwinding =
		unwinding_create(context->memory, context->maps);
	size_t used = 0;

	for (size_t i = 0; i < request->count; i++) {
		if (request->threads[i].is_gone)
			continue;
		*count = unwinding ? find(context->pid, unwinding,
					  &request->threads[i], frames + used,
					  request->room - used)
				   : -ENOMEM;
		if (*count >= 0) {
			used += (size_t)*count;
			frames[used++] = (struct wire_frame){ 0 };
		}
		count++;
	}
	if (unwinding)
		unwinding_destroy(unwinding);
}

/* ---- In the caller ---- */

/*
 * Copies the numbers of frames into the list of threads. Returns 0, or -EBADMSG
 * if there are more frames than room.
 */
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

/*
 * Copies the worker's answer. The numbers of frames are copied before they are
 * checked, because the worker may change them at any time. Values in the frames
 * may be wrong; clew does not rely on them. Returns 0, or -errno and *why.
 */
static int take(const struct tracer *tracer, const void *answer,
		struct wire_stopped *list, struct remote_frames *frames,
		char **why)
{
	const size_t bytes = counts_bytes(tracer->count);
	int64_t *counts = memory_zeroed(tracer->count + 1, sizeof(*counts));
	int err;

	memcpy(counts, answer, bytes);
	err = take_counts(tracer, counts, list, frames);
	free(counts);
	if (err)
		return fail(why, err,
			    "its stacks cannot be read: the worker process "
			    "returned too many frames");
	frames->items =
		memory_zeroed(frames->count + 1, sizeof(*frames->items));
	memcpy(frames->items, (const char *)answer + bytes,
	       frames->count * sizeof(*frames->items));
	return 0;
}

static int explain(int err, char **why)
{
	return err ? fail(why, err, "its stacks cannot be written: %s",
			  strerror(-err))
		   : 0;
}

int remote_frames_prepare(struct stack_reader *reader,
			  const struct tracer *tracer,
			  const struct target_maps *maps, size_t room,
			  char **why)
{
	pid_t *tids;
	size_t threads = 2 * target_threads(tracer->pid, &tids) + NEW_THREADS;
	const struct frames_context context = {
		.pid = tracer->pid,
		.memory = tracer->memory,
		.maps = maps,
	};

	free(tids);
	if (threads < tracer->count)
		threads = tracer->count;
	return stack_reader_begin(reader, tracer->memory, find_all, &context,
				  request_bytes(threads),
				  counts_bytes(threads) +
					  room * sizeof(struct wire_frame),
				  tracer->stopped_ns != 0, why);
}

/*
 * Makes sure that the worker has room for the tracer's threads and `room`
 * frames; otherwise replaces it. Returns 0, or -errno and *why.
 */
static int ensure_room(struct stack_reader *reader, const struct tracer *tracer,
		       const struct target_maps *maps, size_t room, char **why)
{
	if (reader->worker &&
	    reader->request_bytes >= request_bytes(tracer->count) &&
	    reader->answer_bytes >= counts_bytes(tracer->count) +
					    room * sizeof(struct wire_frame))
		return 0;
	stack_reader_end(reader);
	return remote_frames_prepare(reader, tracer, maps, room, why);
}

/* Returns a request for the tracer's threads, which the caller frees. */
static struct frames_request *request_of(const struct tracer *tracer,
					 size_t room)
{
	struct frames_request *request =
		memory_zeroed(1, request_bytes(tracer->count));

	request->room = room;
	request->count = tracer->count;
	memcpy(request->threads, tracer->threads,
	       tracer->count * sizeof(*tracer->threads));
	return request;
}

int remote_frames_find(struct stack_reader *reader, const struct tracer *tracer,
		       const struct target_maps *maps,
		       struct wire_stopped *list, struct remote_frames *frames,
		       char **why)
{
	struct frames_request *request;
	const void *answer;
	int err = ensure_room(reader, tracer, maps, frames->room, why);

	if (err)
		return err;
	request = request_of(tracer, frames->room);
	err = stack_reader_ask(reader, request, request_bytes(tracer->count),
			       &answer, why);
	free(request);
	if (!err)
		err = take(tracer, answer, list, frames, why);
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
