/* SPDX-License-Identifier: MIT */
/*
 * Signals that no thread may block while clew is attached: if SIGTRAP is
 * blocked, a breakpoint of clew kills the process (wire/attachment.h). clew
 * removes these signals from the threads' masks while all threads are stopped,
 * and puts them back when it detaches.
 */
#ifndef CLEW_CLI_ATTACH_OPENED_SIGNALS_H
#define CLEW_CLI_ATTACH_OPENED_SIGNALS_H

#include "cli/attach/tracer.h"
#include "wire/attachment.h"

/*
 * Removes the signals from the masks of all stopped threads that have a control
 * block of libc's. Stores in each such thread's word (enum wire_attach_blocks)
 * whether the thread itself has blocked them. If they are blocked while
 * is_in_handler() returns 1 or libc has blocked all signals for a moment, the
 * word is WIRE_ATTACH_BLOCKS_AS_OTHERS: the kernel or libc will restore the
 * thread's mask.
 */
void opened_signals_take(const struct tracer *tracer,
			 const struct wire_attachment *attachment,
			 int (*is_in_handler)(const void *context,
					      const struct tracee *thread),
			 const void *context);

/*
 * Blocks the signals again in all stopped threads whose word is
 * WIRE_ATTACH_BLOCKS, or WIRE_ATTACH_BLOCKS_AS_OTHERS if the thread's mask
 * still blocks all other signals.
 */
void opened_signals_give_back(const struct tracer *tracer,
			      const struct wire_attachment *attachment);

#endif
