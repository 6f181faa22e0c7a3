/* SPDX-License-Identifier: MIT */
/*
 * Frames of the threads of another process, all of which are stopped: unwound, told to
 * the library there, and written as that says (wire/attachment.h).
 */
#ifndef CLEW_CLI_ATTACH_REMOTE_FRAMES_H
#define CLEW_CLI_ATTACH_REMOTE_FRAMES_H

#include "cli/attach/stack_reader.h"
#include "cli/attach/tracer.h"
#include "cli/target/target.h"
#include "wire/attachment.h"

struct remote_frames {
	uint64_t at; /* in the process; struct wire_frame */
	size_t room;
	struct wire_frame *items;
	size_t count;
};

/*
 * Forks the worker (cli/attach/stack_reader.h) that unwinds the threads of this tracer, in these
 * mappings, with room for that many frames. Threads need not be stopped yet. Returns 0, or
 * -errno and *why.
 */
int remote_frames_prepare(struct stack_reader *reader,
			  const struct tracer *tracer,
			  const struct target_maps *maps, size_t room,
			  char **why);

/*
 * Unwinds all threads in that worker, and writes their frames where the process has room for
 * that many. The list has all threads that are not gone, in their order; those whose frames
 * cannot be known have none. Returns 0, or -errno and *why.
 */
int remote_frames_find(struct stack_reader *reader, const struct tracer *tracer,
		       const struct target_maps *maps,
		       struct wire_stopped *list, struct remote_frames *frames,
		       char **why);

/* What the library has made of them. 0, or -errno and *why. */
int remote_frames_write(const struct tracer *tracer,
			struct remote_frames *frames, char **why);

void remote_frames_free(struct remote_frames *frames);

#endif
