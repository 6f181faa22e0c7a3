/* SPDX-License-Identifier: MIT */
/*
 * Alternate stacks (sigaltstack(2)) of the threads of another process.
 *
 * Some programs give all of their threads one, for handlers that never return. What
 * clew's handlers leave there for an instant would be written over by another thread's.
 * The kernel tells nobody but the thread itself which it has: each of them is made to
 * ask.
 */
#ifndef CLEW_CLI_ATTACH_SHARED_STACKS_H
#define CLEW_CLI_ATTACH_SHARED_STACKS_H

#include "cli/attach/tracer.h"
#include "wire/attachment.h"

/*
 * Whether any two of the threads, all of which are stopped, have the same one. Who
 * cannot be made to ask has none. They are stopped as before. -EAGAIN: another controller
 * has one of them ask, or did. -EBUSY, and tracer->is_stuck: one does not answer; it goes on
 * as before when nobody traces it any more.
 */
int shared_stacks_exist(struct tracer *tracer,
			const struct wire_attachment *attachment);

#endif
