/* SPDX-License-Identifier: MIT */
/*
 * Frames of the stopped threads of another process: finds them by unwinding,
 * copies them into the process for the library, and writes the return addresses
 * that the library then requests (wire/attachment.h).
 */
#ifndef CLEW_CLI_ATTACH_REMOTE_FRAMES_H
#define CLEW_CLI_ATTACH_REMOTE_FRAMES_H

#include "cli/attach/stack_reader.h"
#include "cli/attach/tracer.h"
#include "cli/target/target.h"
#include "wire/attachment.h"

struct remote_frames {
	/* Address of the struct wire_frame array in the process. */
	uint64_t at;
	size_t room;
	struct wire_frame *items;
	size_t count;
};

/*
 * Forks the worker (cli/attach/stack_reader.h) that will unwind the threads of
 * this tracer, with room for `room` frames. `maps` are the mappings of the
 * process. Threads need not be stopped yet. Returns 0, or -errno and *why.
 */
int remote_frames_prepare(struct stack_reader *reader,
			  const struct tracer *tracer,
			  const struct target_maps *maps, size_t room,
			  char **why);

/*
 * Unwinds all threads in the worker, and writes their frames into the array of
 * the process. `list` has the threads that have not exited, in the tracer's
 * order, and gets the position and number of their frames; a thread that cannot
 * be unwound gets 0 frames. Returns 0, or -errno and *why.
 */
int remote_frames_find(struct stack_reader *reader, const struct tracer *tracer,
		       const struct target_maps *maps,
		       struct wire_stopped *list, struct remote_frames *frames,
		       char **why);

/*
 * Reads the frames as clew_attach_enter() has changed them, and writes the
 * requested words to the stacks. Returns 0, or -errno and *why.
 */
int remote_frames_write(const struct tracer *tracer,
			struct remote_frames *frames, char **why);

void remote_frames_free(struct remote_frames *frames);

#endif
