/* SPDX-License-Identifier: MIT */
/*
 * Frames of the stopped threads of another process: unwinds them, sends them to
 * the library there, and writes the return addresses that it replies
 * (wire/attachment.h).
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
 * Forks the worker (cli/attach/stack_reader.h) that unwinds this tracer's
 * threads in these mappings, with room for `room` frames. Threads need not be
 * stopped yet. Returns 0, or -errno and *why.
 */
int remote_frames_prepare(struct stack_reader *reader,
			  const struct tracer *tracer,
			  const struct target_maps *maps, size_t room,
			  char **why);

/*
 * Unwinds all threads in the worker, and writes their frames into the process.
 * The list has all threads that have not exited, in order; a thread whose
 * frames cannot be found has none. Returns 0, or -errno and *why.
 */
int remote_frames_find(struct stack_reader *reader, const struct tracer *tracer,
		       const struct target_maps *maps,
		       struct wire_stopped *list, struct remote_frames *frames,
		       char **why);

/*
 * Writes the frames' words as the library has changed them. Returns 0, or
 * -errno and *why.
 */
int remote_frames_write(const struct tracer *tracer,
			struct remote_frames *frames, char **why);

void remote_frames_free(struct remote_frames *frames);

#endif
