/* SPDX-License-Identifier: MIT */
/* See opened_signals.h. */
#include "cli/attach/opened_signals.h"

#include <signal.h>
#include <sys/ptrace.h>

#include "cli/attach/stopped_registers.h"
#include "cli/target/target.h"

#define LIBC_SIGNALS (UINT64_C(3) << (32 - 1))

/*
 * Returns the address of the thread's word with an enum wire_attach_blocks, or
 * 0 if the thread has exited or has no control block of libc's.
 */
static uint64_t word_of(const struct tracer *tracer,
			const struct wire_attachment *attachment,
			const struct tracee *thread)
{
	const uint64_t block = stopped_block(&thread->registers);
	uint64_t own;

	if (thread->is_gone ||
	    target_read(tracer->memory, block, &own, sizeof(own)) != 0 ||
	    own != block)
		return 0;
	return block + attachment->blocks_at;
}

static int get_mask(const struct tracee *thread, uint64_t *mask)
{
	return ptrace(PTRACE_GETSIGMASK, thread->tid, (long)sizeof(*mask),
		      mask) == 0;
}

static void set_mask(const struct tracee *thread, uint64_t mask)
{
	ptrace(PTRACE_SETSIGMASK, thread->tid, (long)sizeof(mask), &mask);
}

/*
 * Returns whether a mask blocks all signals, apart from `signals` and those
 * that a program cannot block: SIGKILL, SIGSTOP and two of libc's own.
 */
static int blocks_all(uint64_t mask, uint64_t signals)
{
	const uint64_t never = UINT64_C(1) << (SIGKILL - 1) |
			       UINT64_C(1) << (SIGSTOP - 1) | LIBC_SIGNALS;

	return !~(mask | signals | never);
}

/*
 * Returns whether libc blocks signals for a moment, as in fork() and
 * pthread_create(). libc then also blocks its own two signals, which its
 * functions do not let programs block. libc restores the mask by a direct
 * system call, which the library does not see.
 */
static int blocks_within_libc(uint64_t mask)
{
	return (mask & LIBC_SIGNALS) == LIBC_SIGNALS;
}

/*
 * Unblocks the signals in one thread. Writes the thread's word before it
 * changes the mask, so that the mask can be restored even if the controller is
 * killed between both.
 */
static void take(const struct tracer *tracer, const struct tracee *thread,
		 uint64_t signals, uint64_t word_at, int is_in_handler)
{
	uint32_t word = WIRE_ATTACH_BLOCKS_NOT;
	uint64_t mask;

	if (!get_mask(thread, &mask))
		return;
	if (mask & signals)
		word = is_in_handler || blocks_within_libc(mask)
			       ? WIRE_ATTACH_BLOCKS_AS_OTHERS
			       : WIRE_ATTACH_BLOCKS;
	if (target_write(tracer->memory, word_at, &word, sizeof(word)) == 0 &&
	    mask & signals)
		set_mask(thread, mask & ~signals);
}

static void give_back(const struct tracer *tracer, const struct tracee *thread,
		      uint64_t signals, uint64_t word_at)
{
	uint32_t word;
	uint64_t mask;

	if (target_read(tracer->memory, word_at, &word, sizeof(word)) != 0 ||
	    !get_mask(thread, &mask))
		return;
	if (word == WIRE_ATTACH_BLOCKS ||
	    (word == WIRE_ATTACH_BLOCKS_AS_OTHERS && blocks_all(mask, signals)))
		set_mask(thread, mask | signals);
}

void opened_signals_take(const struct tracer *tracer,
			 const struct wire_attachment *attachment,
			 int (*is_in_handler)(const void *context,
					      const struct tracee *thread),
			 const void *context)
{
	for (size_t i = 0; attachment->opened && i < tracer->count; i++) {
		const struct tracee *thread = &tracer->threads[i];
		const uint64_t word_at = word_of(tracer, attachment, thread);

		if (word_at)
			take(tracer, thread, attachment->opened, word_at,
			     is_in_handler(context, thread));
	}
}

void opened_signals_give_back(const struct tracer *tracer,
			      const struct wire_attachment *attachment)
{
	for (size_t i = 0; attachment->opened && i < tracer->count; i++) {
		const struct tracee *thread = &tracer->threads[i];
		const uint64_t word_at = word_of(tracer, attachment, thread);

		if (word_at)
			give_back(tracer, thread, attachment->opened, word_at);
	}
}
