/* SPDX-License-Identifier: MIT */
#include "cli/remote_frames.h"

#include <errno.h>
#include <stdlib.h>

#include "base/memory.h"
#include "cli/attachment_copy.h"
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

static void find(const struct tracer *tracer, struct unwinding *unwinding,
		 const struct tracee *thread, struct wire_stopped *stopped,
		 struct remote_frames *frames)
{
	const size_t left = frames->room - frames->count;
	long count = -ENOSPC;

	if (left > 1)
		count = unwinding_frames(
			unwinding, thread, frames->items + frames->count,
			left - 1 < FRAMES_MAX ? left - 1 : FRAMES_MAX);
	if (count == -ENOENT && has_run_nothing(tracer, thread))
		count = 0;
	stopped->first_frame = (uint32_t)frames->count;
	stopped->frame_count = count < 0 ? 0 : (uint32_t)count;
	stopped->is_unwound = count >= 0;
	if (count < 0)
		return;
	frames->count += (size_t)count;
	frames->items[frames->count++] = (struct wire_frame){ 0 };
}

int remote_frames_find(const struct tracer *tracer,
		       const struct target_maps *maps,
		       struct wire_stopped *list, struct remote_frames *frames)
{
	struct unwinding *unwinding = unwinding_create(tracer->memory, maps);

	/* Memory that is not used takes none. The room is at most WIRE_ATTACH_FRAMES_MAX. */
	frames->items = memory_zeroed(frames->room + 1, sizeof(*frames->items));
	for (size_t i = 0; i < tracer->count; i++)
		if (unwinding && !tracer->threads[i].is_gone)
			find(tracer, unwinding, &tracer->threads[i], list++,
			     frames);
	if (unwinding)
		unwinding_destroy(unwinding);
	return target_write(tracer->memory, frames->at, frames->items,
			    frames->count * sizeof(*frames->items));
}

int remote_frames_write(const struct tracer *tracer,
			struct remote_frames *frames)
{
	int err = attachment_copy_frames(tracer->memory, frames->at,
					 frames->items, frames->count);

	for (size_t i = 0; i < frames->count && !err; i++) {
		const struct wire_frame *frame = &frames->items[i];

		if (frame->at)
			err = target_write(tracer->memory, frame->at,
					   &frame->word, sizeof(frame->word));
	}
	return err;
}

void remote_frames_free(struct remote_frames *frames)
{
	free(frames->items);
	*frames = (struct remote_frames){ 0 };
}
