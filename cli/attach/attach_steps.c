/* SPDX-License-Identifier: MIT */
/* See attach_steps.h. */
#include "cli/attach/attach_steps.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/safe_thread.h"
#include "cli/attach/stopped_registers.h"
#include "cli/common/library.h"
#include "cli/target/ending_signals.h"
#include "cli/target/idle_order.h"

/* Time limit for one thread to stop. */
#define ONE_STOPS_NS UINT64_C(50000000)

/* Stack bytes that dlopen() or a function of the library may need. */
#define STACK_BYTES (UINT64_C(128) << 10)

int attach_set_state(const struct attaching *attaching, uint32_t state)
{
	return target_write(attaching->tracer.memory,
			    attaching->attachment +
				    offsetof(struct wire_attachment, state),
			    &state, sizeof(state));
}

/* ---- Calls in one stopped thread ---- */

void attach_note_pause(struct tracer *tracer, uint64_t *longest)
{
	const uint64_t ns =
		tracer->stopped_ns ? tracer_now_ns() - tracer->stopped_ns : 0;

	if (ns > *longest)
		*longest = ns;
}

/*
 * Stops a thread. Returns 1 if libc can be called in it, and the thread stays
 * stopped. Otherwise lets the thread continue, and returns 0, or -errno and
 * *why.
 */
static int try_thread(struct attaching *attaching, struct safe_places *places,
		      pid_t tid, char **why)
{
	struct tracer *tracer = &attaching->tracer;
	int err = safe_thread_prepare(places, why);
	int found = 0;

	if (err)
		return err;
	err = tracer_stop_one(tracer, tid, ONE_STOPS_NS, why);
	if (err)
		return err == -EAGAIN ? 0 : err;
	if (safe_thread_has_room(places, &tracer->threads[0], STACK_BYTES))
		found = safe_thread_is_outside(places, &tracer->threads[0],
					       why);
	if (found > 0)
		return found;
	attach_note_pause(tracer, &attaching->one_ns);
	tracer_release(&attaching->tracer);
	return found;
}

/*
 * Tries the threads of the process, idle threads first, until libc can be
 * called in one of them, which stays stopped. Returns 1; 0 if libc can be
 * called in no thread at the moment; or -errno and *why.
 */
static int try_threads(struct attaching *attaching, struct safe_places *places,
		       char **why)
{
	pid_t *tids;
	const size_t count = target_threads(attaching->pid, &tids);
	int found = count ? 0 : fail(why, -ESRCH, "it has exited");

	idle_order(attaching->pid, tids, count);
	for (size_t i = 0; i < count && !found; i++)
		found = try_thread(attaching, places, tids[i], why);
	free(tids);
	return found;
}

/* tracer.memory belongs to the memory of one program. */
int attaching_check_program(const struct attaching *attaching, char **why)
{
	uint8_t byte;

	if (target_read(attaching->tracer.memory, attaching->load, &byte, 1) ==
	    0)
		return 0;
	return target_thread_is_going(attaching->pid, attaching->pid)
		       ? fail(why, -ESRCH, "it has exited")
		       : fail(why, -EIO, "it has executed another program");
}

/*
 * Stops a thread in which libc can be called. Returns 0; -EALREADY without *why
 * if is_needless is not NULL and returns 1 before; -EBUSY after
 * ATTACH_PATIENCE_NS; -EINTR if the tracer heeds an ending signal; or another
 * -errno. Sets *why for all errors but -EALREADY.
 */
static int stop_unless(struct attaching *attaching,
		       int (*is_needless)(const struct attaching *attaching),
		       char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
	struct safe_places *places = &attaching->places;
	int found;

	safe_places_find(places, attaching->pid, attaching->tracer.memory,
			 &attaching->maps);
	do {
		found = try_threads(attaching, places, why);
		if (!found)
			found = attaching_check_program(attaching, why);
		if (!found && is_needless && is_needless(attaching))
			found = -EALREADY;
		if (!found && attaching->tracer.heeds_ending &&
		    ending_signals_have_come())
			found = fail(why, -EINTR, "interrupted");
		if (!found && tracer_now_ns() >= deadline_ns)
			found = fail(why, -EBUSY,
				     "for %d seconds, none of its threads was "
				     "at a point where a libc function can be "
				     "called; try again",
				     (int)(ATTACH_PATIENCE_NS / 1000000000));
		if (!found)
			attach_pause_ms(2);
	} while (!found);
	if (found < 0)
		safe_thread_end(places);
	return found < 0 ? found : 0;
}

int attach_stop_safe_thread(struct attaching *attaching, char **why)
{
	return stop_unless(attaching, NULL, why);
}

void attach_release_one(struct attaching *attaching)
{
	attach_note_pause(&attaching->tracer, &attaching->one_ns);
	tracer_release(&attaching->tracer);
	safe_thread_end(&attaching->places);
}

int attach_explain_call(int err, char **why)
{
	switch (err) {
	case -ESRCH:
		return fail(why, err, "it has exited");
	case -ETIMEDOUT:
		return fail(
			why, err,
			"a call that clew made in it did not return in time");
	case -EFAULT:
		return fail(why, err, "a call that clew made in it crashed");
	default:
		return fail(why, err, "clew cannot make a call in it: %s",
			    strerror(-err));
	}
}

int attach_begin_call(struct attaching *attaching, struct remote_call *call,
		      size_t thread, const void *data, size_t bytes, char **why)
{
	int err;

	*call = (struct remote_call){
		.tracer = &attaching->tracer,
		.thread = &attaching->tracer.threads[thread],
		.restorer = attaching->restorer,
		.errno_at =
			stopped_block(
				&attaching->tracer.threads[thread].registers) +
			(uint64_t)attaching->errno_offset,
	};
	err = remote_begin(call, data, bytes);
	return err ? attach_explain_call(err, why) : 0;
}

int attach_call_library(struct attaching *attaching, struct remote_call *call,
			uint64_t function, uint64_t first, uint64_t second,
			char **why)
{
	const uint64_t arguments[REMOTE_ARGUMENTS] = { first, second };
	struct wire_attachment attachment;
	int err = remote_run(call, function, arguments, ATTACH_CALL_NS);

	if (err)
		return attach_explain_call(err, why);
	err = attaching_read(attaching, &attachment, why);
	if (err)
		return err;
	return attachment.result
		       ? fail(why, attachment.result, "%s", attachment.why)
		       : 0;
}

/*
 * Calls a function of the library in the one thread that is stopped, and lets
 * this thread continue.
 */
static int call_stopped_one(struct attaching *attaching, uint64_t function,
			    uint64_t argument, char **why)
{
	struct remote_call call;
	int err;

	err = attach_begin_call(attaching, &call, 0, "", 1, why);
	if (!err) {
		err = attach_call_library(attaching, &call, function, argument,
					  0, why);
		remote_end(&call);
	}
	attach_release_one(attaching);
	return err;
}

int attach_call_unless(struct attaching *attaching, uint64_t function,
		       int (*is_needless)(const struct attaching *attaching),
		       char **why)
{
	int err = attaching_read_again(attaching, why);

	if (!err)
		err = stop_unless(attaching, is_needless, why);
	if (err)
		return err == -EALREADY ? 0 : err;
	return call_stopped_one(attaching, function, 0, why);
}

int attach_call_alone(struct attaching *attaching, uint64_t function,
		      uint64_t argument, char **why)
{
	int err = attaching_read_again(attaching, why);

	if (!err)
		err = attach_stop_safe_thread(attaching, why);
	return err ? err : call_stopped_one(attaching, function, argument, why);
}

/* ---- Calls while all threads are stopped ---- */

/*
 * Finds a stopped thread with enough stack for a call. The thread may hold
 * locks of libc, so the called function must not need any. Returns 0 and the
 * thread's index, or -EAGAIN and *why.
 */
static int find_caller(struct attaching *attaching, size_t *thread, char **why)
{
	const struct safe_places places = {
		.maps = &attaching->maps,
		.own = target_module(&attaching->maps, LIBRARY_NAME),
		.pid = attaching->pid,
	};

	for (size_t i = 0; i < attaching->tracer.count; i++) {
		const struct tracee *one = &attaching->tracer.threads[i];

		if (one->is_gone ||
		    !safe_thread_has_room(&places, one, STACK_BYTES))
			continue;
		*thread = i;
		return 0;
	}
	return fail(why, -EAGAIN,
		    "none of its threads has enough stack for a call");
}

/*
 * Returns the address of a stopped thread's control block, or 0 if it has no
 * control block of libc's. A control block of libc starts with its own address.
 */
static uint64_t block_of(const struct tracer *tracer,
			 const struct tracee *thread)
{
	const uint64_t block = stopped_block(&thread->registers);
	uint64_t own = 0;

	if (target_read(tracer->memory, block, &own, sizeof(own)) != 0)
		return 0;
	return own == block ? block : 0;
}

struct wire_stopped *attach_list_stopped(const struct tracer *tracer,
					 size_t *count)
{
	struct wire_stopped *list =
		memory_zeroed(tracer->count + 1, sizeof(*list));

	*count = 0;
	for (size_t i = 0; i < tracer->count; i++) {
		const struct tracee *thread = &tracer->threads[i];

		if (thread->is_gone)
			continue;
		list[(*count)++] = (struct wire_stopped){
			.tid = (uint64_t)thread->own_tid,
			.block = block_of(tracer, thread),
			.pc = stopped_pc(&thread->registers),
			.sp = stopped_sp(&thread->registers),
		};
	}
	return list;
}

int attach_call_stopped(struct attaching *attaching, uint64_t function,
			const struct wire_stopped *list, size_t count,
			char **why)
{
	struct remote_call call;
	size_t thread = 0;
	int err = find_caller(attaching, &thread, why);

	if (err)
		return err;
	err = attach_begin_call(attaching, &call, thread, list,
				count * sizeof(*list), why);
	if (err)
		return err;
	err = attach_call_library(attaching, &call, function, call.data, count,
				  why);
	remote_end(&call);
	return err;
}

/* ---- Code of the process, and repeated attempts ---- */

int attach_plan(struct attaching *attaching, struct remote_texts *texts,
		char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read_again(attaching, why);

	*texts = (struct remote_texts){ 0 };
	if (!err)
		err = attaching_read(attaching, &attachment, why);
	if (err)
		return err;
	err = remote_texts_plan(attaching->tracer.memory, &attachment, texts);
	if (err == -EBADMSG)
		return fail(why, err,
			    "its libclew.so reports code that cannot be "
			    "patched; the library is not clew's, or the "
			    "process overwrote its data");
	return err ? fail(why, err, "its memory cannot be read: %s",
			  strerror(-err))
		   : 0;
}

int attach_explain_write(int err, uint64_t at, char **why)
{
	if (err == -ETXTBSY)
		return fail(why, err,
			    "its code was changed by another tool or by "
			    "itself, at 0x%" PRIx64,
			    at);
	return err ? fail(why, err, "its code cannot be written: %s",
			  strerror(-err))
		   : 0;
}

int attach_is_to_be_repeated(int err, uint64_t deadline_ns, char **why)
{
	if (err != -EAGAIN || tracer_now_ns() >= deadline_ns) {
		if (err && !*why)
			fail(why, err, "its threads do not stop");
		return 0;
	}
	free(*why);
	*why = NULL;
	attach_pause_ms(1);
	return 1;
}
