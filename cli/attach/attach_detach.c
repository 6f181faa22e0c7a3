/* SPDX-License-Identifier: MIT */
/* Detaches from a process, so that it no longer executes code of clew. */
#include "cli/attach/attach_steps.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/opened_signals.h"
#include "cli/attach/probe_request.h"
#include "cli/attach/stopped_registers.h"
#include "cli/attach/unwritten_pages.h"
#include "cli/target/attachment_copy.h"
#include "machine/address_space.h"

/*
 * How long threads may run in the first attempt until none is inside clew's
 * code. The time doubles with each attempt until it reaches or exceeds
 * MOVES_MAX_NS, because on a busy system threads wait for a processor.
 */
#define FIRST_MOVES_NS UINT64_C(20000000)
#define MOVES_MAX_NS   UINT64_C(300000000)

/*
 * Returns whether a thread of the process has done the work of
 * clew_attach_finish() because of finish_wish. If a program loads and unloads
 * libraries all the time, clew may find no thread for the call, but the next
 * thread that loads or unloads a library does the work.
 */
static int has_finished(const struct attaching *attaching)
{
	uint64_t wish = 1;

	target_read(attaching->tracer.memory,
		    attaching->attachment +
			    offsetof(struct wire_attachment, finish_wish),
		    &wish, sizeof(wish));
	return !wish;
}

static int finish(struct attaching *attaching, char **why)
{
	const uint64_t wish = 1;
	const int err = target_write(
		attaching->tracer.memory,
		attaching->attachment +
			offsetof(struct wire_attachment, finish_wish),
		&wish, sizeof(wish));

	if (err)
		return fail(why, err, "its memory cannot be written: %s",
			    strerror(-err));
	return attach_call_unless(attaching, attaching->finish, has_finished,
				  why);
}

struct moving {
	const struct attaching *attaching;
	const struct wire_attachment *attachment;
};

static int is_avoided(const struct moving *moving, uint64_t pc)
{
	const struct wire_attachment *attachment = moving->attachment;
	uint8_t window = 0;

	for (int i = 0; i < 2; i++)
		if (pc >= attachment->avoided[i].start &&
		    pc < attachment->avoided[i].end)
			return 1;
	if (pc < ADDRESS_END)
		target_read(moving->attaching->tracer.memory,
			    attachment->windows + (pc >> 24), &window, 1);
	return window < 64 && attachment->window_values >> window & 1;
}

static int cannot_be_left(void *context, const struct tracee *thread)
{
	const struct moving *moving = context;
	uint64_t busy = 0;

	if (is_avoided(moving, stopped_pc(&thread->registers)))
		return 1;
	target_read(moving->attaching->tracer.memory,
		    stopped_block(&thread->registers) +
			    moving->attachment->busy_at,
		    &busy, sizeof(busy));
	return busy != 0;
}

/*
 * Lets the stopped threads that are inside clew's code run for short times,
 * until none is inside or patience_ns have passed. Returns 0 in both cases, or
 * -errno and *why.
 */
static int move_threads(struct attaching *attaching, uint64_t patience_ns,
			char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + patience_ns;
	struct wire_attachment attachment;
	struct moving moving = { attaching, &attachment };
	int err = attaching_read(attaching, &attachment, why);
	size_t count = 1;

	while (!err && count && tracer_now_ns() < deadline_ns)
		err = tracer_move(&attaching->tracer, cannot_be_left, &moving,
				  &count);
	return err;
}

static int write_words(int memory, const struct wire_attachment *attachment)
{
	struct wire_stack_word *words;
	int err = attachment_copy_words(memory, attachment, &words);

	for (uint64_t i = 0; i < attachment->word_count && !err; i++)
		err = target_write(memory, words[i].at, &words[i].value,
				   sizeof(words[i].value));
	free(words);
	return err;
}

/*
 * Resets the library's thread-local variables to their values in a new thread,
 * in each thread that has a control block of libc's. Returns 0 or -errno.
 */
static int write_variables(const struct tracer *tracer,
			   const struct wire_attachment *attachment)
{
	const size_t bytes = attachment->variable_bytes;
	const int memory = tracer->memory;
	uint8_t *values;
	int err = attachment_copy_variables(memory, attachment, &values);

	for (size_t i = 0; i < tracer->count && !err; i++) {
		const struct tracee *thread = &tracer->threads[i];
		const uint64_t block = stopped_block(&thread->registers);
		uint64_t own;

		if (thread->is_gone ||
		    target_read(memory, block, &own, sizeof(own)) != 0 ||
		    own != block)
			continue;
		err = target_write(memory, block + attachment->variables_at,
				   values, bytes);
	}
	free(values);
	return err;
}

/*
 * Writes the stack words that the library has reported, resets the threads'
 * variables of the library, and restores signal masks
 * (opened_signals_give_back()). Returns 0, or -errno and *why.
 */
static int write_threads(struct attaching *attaching, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err)
		return err;
	err = write_words(attaching->tracer.memory, &attachment);
	if (!err)
		err = write_variables(&attaching->tracer, &attachment);
	if (!err)
		opened_signals_give_back(&attaching->tracer, &attachment);
	return err ? fail(why, err, "its stacks cannot be written: %s",
			  strerror(-err))
		   : 0;
}

/*
 * Calls clew_attach_detach(). Before, clears may_unhook, which an earlier
 * attempt may have set.
 */
static int detach_stopped(struct attaching *attaching, char **why)
{
	const uint64_t no = 0;
	size_t count;
	struct wire_stopped *list =
		attach_list_stopped(&attaching->tracer, &count);
	int err = target_write(
		attaching->tracer.memory,
		attaching->attachment +
			offsetof(struct wire_attachment, may_unhook),
		&no, sizeof(no));

	if (!err)
		err = attach_call_stopped(attaching, attaching->detach, list,
					  count, why);

	free(list);
	return err;
}

/*
 * Removes the hooks but no changes of stacks, if the library permits it.
 * Threads then enter clew's code less often until the next attempt; active
 * calls still return through stubs.
 */
static void unhook(struct attaching *attaching, struct remote_texts *texts)
{
	struct wire_attachment attachment;
	char *why = NULL;

	if (attaching_read(attaching, &attachment, &why) == 0 &&
	    attachment.may_unhook)
		remote_texts_unhook(attaching->tracer.memory, texts);
	free(why);
}

/*
 * Calls clew_attach_release(), which frees the library's memory and drops
 * private pages of code that equal their files again. If the call fails, the
 * memory stays for the next session.
 */
static void release(struct attaching *attaching,
		    const struct remote_texts *texts)
{
	struct wire_stopped *list;
	char *why = NULL;
	size_t count;

	list = attach_list_stopped(&attaching->tracer, &count);
	unwritten_pages_send(attaching, texts);
	if (attach_call_stopped(attaching, attaching->release, list, count,
				&why) != 0)
		free(why);
	free(list);
}

static int detach_once(struct attaching *attaching, struct remote_texts *texts,
		       uint64_t patience_ns, char **why)
{
	int err = tracer_stop_all(&attaching->tracer,
				  ATTACH_STOP_NS + 2 * patience_ns, why);

	if (err)
		return err;
	err = move_threads(attaching, patience_ns, why);
	if (!err) {
		err = detach_stopped(attaching, why);
		if (err == -EAGAIN)
			unhook(attaching, texts);
	}
	if (!err)
		err = write_threads(attaching, why);
	if (!err)
		err = attach_explain_write(
			remote_texts_restore(attaching->tracer.memory, texts),
			0, why);
	if (!err)
		release(attaching, texts);
	if (!err)
		err = attach_set_state(attaching, WIRE_ATTACH_NONE);
	attach_note_pause(&attaching->tracer, &attaching->all_ns);
	tracer_release(&attaching->tracer);
	return err;
}

int attaching_detach(struct attaching *attaching, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
	uint64_t patience_ns = FIRST_MOVES_NS;
	int err, is_finished = 0;

	*why = NULL;
	/* Detaching continues even if clew receives SIGINT or SIGTERM. */
	attaching->tracer.heeds_ending = 0;
	err = probe_remove_all(attaching, why);
	if (!err)
		err = attach_end_runtimes(attaching, why);
	if (err)
		return err;
	do {
		struct remote_texts texts = { 0 };

		err = is_finished ? 0 : finish(attaching, why);
		is_finished |= !err;
		if (!err)
			err = attach_plan(attaching, &texts, why);
		if (!err)
			err = detach_once(attaching, &texts, patience_ns, why);
		if (patience_ns < MOVES_MAX_NS)
			patience_ns *= 2;
		remote_texts_free(&texts);
		/*
		 * The list of modules has changed since clew_attach_finish(),
		 * which must be called again.
		 */
		if (err == -ESTALE) {
			is_finished = 0;
			err = -EAGAIN;
		}
	} while (attach_is_to_be_repeated(err, deadline_ns, why));
	return err;
}
