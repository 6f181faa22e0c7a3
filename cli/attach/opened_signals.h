/* SPDX-License-Identifier: MIT */
/*
 * Signals that no thread of a process may block while clew is attached to it, since a
 * breakpoint would kill it (wire/attachment.h): they are taken out of the threads'
 * masks while all are stopped, and put back likewise.
 */
#ifndef CLEW_CLI_ATTACH_OPENED_SIGNALS_H
#define CLEW_CLI_ATTACH_OPENED_SIGNALS_H

#include "cli/attach/tracer.h"
#include "wire/attachment.h"

/*
 * Whoever blocks them is noted in the thread's own word: what a thread has said itself,
 * or what holds until its handler returns, if is_in_handler says so, or until libc is
 * through with what it blocks all signals for.
 */
void opened_signals_take(const struct tracer *tracer,
			 const struct wire_attachment *attachment,
			 int (*is_in_handler)(const void *context,
					      const struct tracee *thread),
			 const void *context);

/* To those that mean to block them, by that word. */
void opened_signals_give_back(const struct tracer *tracer,
			      const struct wire_attachment *attachment);

#endif
