/* SPDX-License-Identifier: MIT */
/*
 * Alternate signal stacks (sigaltstack(2)) of the threads of another process.
 *
 * Some programs give all their threads one such stack, for handlers that never
 * return. Another thread would overwrite what clew's handlers store there for a
 * moment. The kernel reports the stack only to the thread itself, so each
 * thread is made to ask.
 */
#ifndef CLEW_CLI_ATTACH_SHARED_STACKS_H
#define CLEW_CLI_ATTACH_SHARED_STACKS_H

#include "cli/attach/tracer.h"
#include "wire/attachment.h"

/*
 * Returns whether two of the stopped threads have the same alternate stack. A
 * thread that cannot be made to ask counts as having none. The threads are
 * stopped as before. Returns -EAGAIN if another controller makes a thread ask,
 * or did; -EBUSY and tracer->is_stuck if a thread does not answer: it continues
 * as before once it is no longer traced.
 */
int shared_stacks_exist(struct tracer *tracer,
			const struct wire_attachment *attachment);

#endif
