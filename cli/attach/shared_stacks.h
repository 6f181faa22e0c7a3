/* SPDX-License-Identifier: MIT */
/*
 * Alternate signal stacks (sigaltstack(2)) of the threads of another process.
 *
 * Some programs give all their threads the same alternate stack, for handlers
 * that never return. If clew's handlers used such a stack, two threads would
 * overwrite each other's data. The kernel reports a thread's alternate stack
 * only to the thread itself, so clew makes each thread execute code that
 * queries it.
 */
#ifndef CLEW_CLI_ATTACH_SHARED_STACKS_H
#define CLEW_CLI_ATTACH_SHARED_STACKS_H

#include "cli/attach/tracer.h"
#include "wire/attachment.h"

/*
 * Returns whether two of the stopped threads have the same alternate stack. A
 * thread that cannot be made to query its stack is regarded as having none.
 * Unless -EBUSY is returned, all threads are then stopped as before. Returns
 * -EAGAIN if another controller is making a thread query its stack, or has done
 * so; -EBUSY and tracer->is_stuck if a thread does not complete the query in
 * time. That thread completes it, and continues normally, when it is not traced
 * any more.
 */
int shared_stacks_exist(struct tracer *tracer,
			const struct wire_attachment *attachment);

#endif
