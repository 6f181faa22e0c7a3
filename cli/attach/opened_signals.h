/* SPDX-License-Identifier: MIT */
/*
 * Signals that no thread may block while clew is attached, because a
 * breakpoint would kill the process (wire/attachment.h). clew removes them from
 * the threads' masks while all threads are stopped, and restores them in the
 * same way.
 */
#ifndef CLEW_CLI_ATTACH_OPENED_SIGNALS_H
#define CLEW_CLI_ATTACH_OPENED_SIGNALS_H

#include "cli/attach/tracer.h"
#include "wire/attachment.h"

/*
 * Removes the signals from all masks, and records in the thread's own word
 * whether the thread blocks them: by its own call; until its signal handler
 * returns, as is_in_handler() says; or until libc restores its mask.
 */
void opened_signals_take(const struct tracer *tracer,
			 const struct wire_attachment *attachment,
			 int (*is_in_handler)(const void *context,
					      const struct tracee *thread),
			 const void *context);

/* Blocks the signals again in the threads whose word says so. */
void opened_signals_give_back(const struct tracer *tracer,
			      const struct wire_attachment *attachment);

#endif
