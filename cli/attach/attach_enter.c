/* SPDX-License-Identifier: MIT */
/* Loads the library into a process, and begins to count. */
#include "cli/attach/attach_steps.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/attach/attach_blocks.h"
#include "cli/attach/opened_signals.h"
#include "cli/attach/remote_frames.h"
#include "cli/attach/safe_thread.h"
#include "cli/attach/shared_stacks.h"
#include "cli/attach/stopped_registers.h"
#include "cli/attach/unwinding.h"
#include "cli/common/library.h"

/*
 * How long clew waits until no thread is unwinding an exception or, if
 * variables are in control blocks, creating a thread.
 */
#define UNWINDS_NS UINT64_C(10000000)

/*
 * Pause between two slices of the preparation, in which the borrowed thread
 * runs the program.
 */
#define BETWEEN_SLICES_MS 3

/* ---- Loading ---- */

/*
 * Returns the text of dlerror() in the process, made printable and at most 511
 * bytes long, or "" if it cannot be read. The caller frees it.
 */
static char *error_of_load(const struct attaching *attaching,
			   const struct remote_call *call)
{
	/*
	 * The layout of libc's result since glibc 2.34 (elf/dl-error.c). With
	 * another layout, reading fails or gives no text.
	 */
	struct {
		uint64_t about, object, text;
	} result;
	const int memory = attaching->tracer.memory;
	const uint64_t block = stopped_block(&call->thread->registers);
	char text[512] = "";
	uint64_t at = 0;

	if (attaching->load_result &&
	    target_read(memory, block + (uint64_t)attaching->load_result, &at,
			sizeof(at)) == 0 &&
	    at && target_read(memory, at, &result, sizeof(result)) == 0)
		for (size_t i = 0; i + 1 < sizeof(text); i++)
			if (target_read(memory, result.text + i, text + i, 1) !=
				    0 ||
			    !text[i])
				break;
	return memory_printf("%s", text_printable(text));
}

/*
 * Reads the error of clew's dlopen() and sets *why. If dlerror() was found,
 * calls it twice: the second call clears the error, which the program must not
 * see. Returns -ELIBACC.
 */
static int explain_load(struct attaching *attaching, struct remote_call *call,
			const char *library, char **why)
{
	const uint64_t none[REMOTE_ARGUMENTS] = { 0 };
	char *said;

	if (attaching->load_error)
		remote_run(call, attaching->load_error, none, ATTACH_CALL_NS);
	said = error_of_load(attaching, call);
	if (attaching->load_error)
		remote_run(call, attaching->load_error, none, ATTACH_CALL_NS);
	fail(why, -ELIBACC, "its dynamic loader cannot load %s%s%s", library,
	     *said ? ": " : "", said);
	free(said);
	return -ELIBACC;
}

/*
 * Loads a library whose path is at call->data. An agent library must not call
 * the program's libclew-agent, so its own symbols precede all others.
 */
static int load_in(struct attaching *attaching, struct remote_call *call,
		   const char *name, char **why)
{
	const int flags = RTLD_NOW | RTLD_LOCAL |
			  (strcmp(name, LIBRARY_NAME) == 0 ? 0 : RTLD_DEEPBIND);
	const uint64_t arguments[REMOTE_ARGUMENTS] = { call->data,
						       (uint64_t)flags };
	int err = remote_run(call, attaching->load, arguments, ATTACH_CALL_NS);

	if (err)
		return attach_explain_call(err, why);
	err = attaching_read_again(attaching, why);
	if (err)
		return err;
	attaching_find_library(attaching);
	return target_module(&attaching->maps, name)
		       ? 0
		       : explain_load(attaching, call, name, why);
}

/* Loads the library `name` from the path `library`. */
static int load(struct attaching *attaching, const char *library,
		const char *name, char **why)
{
	struct remote_call call;
	int err = attach_stop_safe_thread(attaching, why);

	if (err)
		return err;
	err = attach_begin_call(attaching, &call, 0, library,
				strlen(library) + 1, why);
	if (!err) {
		err = load_in(attaching, &call, name, why);
		remote_end(&call);
	}
	attach_release_one(attaching);
	return err;
}

int attaching_load(struct attaching *attaching, const char *library, char **why)
{
	int err;

	if (attaching->detach)
		return attach_fill_blocks(attaching, why);
	if (target_module(&attaching->maps, LIBRARY_NAME))
		return fail(
			why, -EPROTO,
			"it has loaded the libclew.so of another clew version; "
			"use that version, or restart the process");
	err = load(attaching, library, LIBRARY_NAME, why);
	return err ? err : attach_fill_blocks(attaching, why);
}

int attaching_load_agent(struct attaching *attaching, const char *path,
			 const char *library, char **why)
{
	const char *name = text_basename(library);

	return target_module(&attaching->maps, name)
		       ? 0
		       : load(attaching, path, name, why);
}

/* ---- Entering ---- */

/*
 * Runs one slice of the preparation in a safe thread. Returns 0 after the last
 * slice; -EINPROGRESS if more slices remain; or another -errno. Sets *why
 * unless it returns 0.
 */
static int prepare_slice(struct attaching *attaching, const char *directory,
			 char **why)
{
	struct remote_call call;
	int err = attach_stop_safe_thread(attaching, why);

	if (err)
		return err;
	err = attach_begin_call(attaching, &call, 0, directory,
				strlen(directory) + 1, why);
	if (!err) {
		err = attach_call_library(attaching, &call, attaching->prepare,
					  call.data, (uint64_t)getpid(), why);
		remote_end(&call);
	}
	attach_release_one(attaching);
	return err;
}

/* Stores the message of a complete preparation. */
static int take_notice(struct attaching *attaching, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err || !*attachment.why)
		return err;
	free(attaching->notice);
	attaching->notice = memory_printf("%s", attachment.why);
	return 0;
}

/*
 * Runs slices of the preparation until it is complete or a slice fails. All
 * threads run between two slices.
 */
static int prepare(struct attaching *attaching, const char *directory,
		   char **why)
{
	int err = prepare_slice(attaching, directory, why);

	while (err == -EINPROGRESS) {
		free(*why);
		*why = NULL;
		attach_pause_ms(BETWEEN_SLICES_MS);
		err = prepare_slice(attaching, directory, why);
	}
	return err ? err : take_notice(attaching, why);
}

/* The stopped threads and their frames. */
struct inspection {
	struct wire_stopped *list;
	size_t count;
	struct stack_reader reader;
	struct remote_frames frames;
	struct wire_attachment attachment;
	/*
	 * Address of pthread_create(); 0: threads in it are not searched for.
	 */
	uint64_t makes_threads;
};

static int is_inside(const struct wire_attach_range *range, uint64_t pc)
{
	return pc >= range->start && pc < range->end;
}

static const struct wire_stopped *stopped_of(
	const struct inspection *inspection, const struct tracee *thread)
{
	const struct wire_stopped *stopped = inspection->list;

	while (stopped->tid != (uint64_t)thread->own_tid)
		stopped++;
	return stopped;
}

/*
 * Returns whether the thread is in an unwinder. The unwinder may have read some
 * of the thread's return addresses already, so these must not change.
 */
static int is_unwinding(void *context, const struct tracee *thread)
{
	const struct inspection *inspection = context;
	const struct wire_stopped *stopped = stopped_of(inspection, thread);
	const struct wire_attach_range *unwinder =
		&inspection->attachment.avoided[1];
	const struct wire_frame *frames =
		inspection->frames.items + stopped->first_frame;

	if (is_inside(unwinder, stopped->pc))
		return 1;
	for (uint32_t i = 0; i < stopped->frame_count; i++)
		if (is_inside(unwinder, frames[i].word))
			return 1;
	return 0;
}

/*
 * Returns whether the thread is in pthread_create(); 0 if makes_threads is 0.
 * The control block of the thread that it creates may lack the initial values
 * of the library's variables.
 */
static int is_making_thread(const struct inspection *inspection,
			    const struct tracee *thread)
{
	const struct wire_stopped *stopped = stopped_of(inspection, thread);
	const struct wire_frame *frames =
		inspection->frames.items + stopped->first_frame;

	for (uint32_t i = 0; i < stopped->frame_count; i++)
		if (inspection->makes_threads &&
		    frames[i].function == inspection->makes_threads)
			return 1;
	return 0;
}

static int is_to_go_on(void *context, const struct tracee *thread)
{
	return is_unwinding(context, thread) ||
	       is_making_thread(context, thread);
}

static int any_makes_thread(const struct inspection *inspection,
			    const struct tracer *tracer)
{
	for (size_t i = 0; i < tracer->count; i++)
		if (!tracer->threads[i].is_gone &&
		    is_making_thread(inspection, &tracer->threads[i]))
			return 1;
	return 0;
}

/*
 * Returns whether the thread is in a signal handler: whether a frame other than
 * the innermost was interrupted.
 */
static int is_in_handler(const void *context, const struct tracee *thread)
{
	const struct inspection *inspection = context;
	const struct wire_stopped *stopped = stopped_of(inspection, thread);
	const struct wire_frame *frames =
		inspection->frames.items + stopped->first_frame;

	for (uint32_t i = 1; i < stopped->frame_count; i++)
		if (frames[i].pc)
			return 1;
	return 0;
}

static void forget_frames(struct inspection *inspection)
{
	remote_frames_free(&inspection->frames);
	free(inspection->list);
	inspection->list = NULL;
}

static int inspect_once(struct attaching *attaching,
			struct inspection *inspection, char **why)
{
	forget_frames(inspection);
	inspection->list =
		attach_list_stopped(&attaching->tracer, &inspection->count);
	inspection->frames = (struct remote_frames){
		.at = inspection->attachment.frames,
		.room = inspection->attachment.frame_max,
	};
	return remote_frames_find(&inspection->reader, &attaching->tracer,
				  &attaching->maps, inspection->list,
				  &inspection->frames, why);
}

/*
 * Finds the frames of all stopped threads. While any of them is in an unwinder
 * or in pthread_create(), lets these threads run and finds the frames again,
 * for up to about UNWINDS_NS. Returns 0; -EAGAIN if a thread is still in
 * pthread_create(); or another -errno and *why.
 */
static int find_frames(struct attaching *attaching,
		       struct inspection *inspection, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + UNWINDS_NS;
	size_t moved = 1;
	int err = attaching_read(attaching, &inspection->attachment, why);

	if (err)
		return err;
	if (attach_is_in_blocks(&inspection->attachment))
		inspection->makes_threads = attach_makes_threads(attaching);
	for (;;) {
		err = inspect_once(attaching, inspection, why);
		if (err)
			return err;
		if (tracer_now_ns() >= deadline_ns)
			return any_makes_thread(inspection, &attaching->tracer)
				       ? fail(why, -EAGAIN,
					      "its threads create other "
					      "threads too often; try again")
				       : 0;
		err = tracer_move(&attaching->tracer, is_to_go_on, inspection,
				  &moved);
		if (err || !moved)
			return err;
	}
}

/* Writes a member of clew_attachment at this offset. */
static int write_member(const struct attaching *attaching, size_t offset,
			const void *from, size_t bytes, char **why)
{
	const int err =
		target_write(attaching->tracer.memory,
			     attaching->attachment + offset, from, bytes);

	return err ? fail(why, err, "its memory cannot be written: %s",
			  strerror(-err))
		   : 0;
}

static int announce_shared_stacks(const struct attaching *attaching, char **why)
{
	const uint64_t are = 1;

	return write_member(
		attaching,
		offsetof(struct wire_attachment, alternate_is_shared), &are,
		sizeof(are), why);
}

static int check_alternate_stacks(struct attaching *attaching,
				  const struct wire_attachment *attachment,
				  char **why)
{
	const int are = shared_stacks_exist(&attaching->tracer, attachment);

	if (are == -EAGAIN)
		return fail(why, are,
			    "a thread has not yet reported its alternate "
			    "signal stack");
	if (are < 0)
		return fail(why, are, "one of its threads does not stop");
	return are ? announce_shared_stacks(attaching, why) : 0;
}

/*
 * Lets the library map code with its hooks from files that processes share.
 * Returns whether it has mapped any; the controller writes all other texts
 * afterwards. Returns 0 also if the call fails.
 */
static int share(struct attaching *attaching,
		 const struct inspection *inspection)
{
	struct wire_attachment attachment;
	char *why = NULL;
	int is_shared = 0;

	if (!attaching->share)
		return 0;
	if (attach_call_stopped(attaching, attaching->share, inspection->list,
				inspection->count, &why) == 0 &&
	    attaching_read(attaching, &attachment, &why) == 0)
		is_shared = attachment.shared_count != 0;
	free(why);
	return is_shared;
}

static int write_texts(struct attaching *attaching,
		       const struct inspection *inspection,
		       struct remote_texts *texts, char **why)
{
	const int memory = attaching->tracer.memory;
	uint64_t at = 0;
	int err = remote_texts_write_fronts(memory, texts, &at);

	if (!err)
		err = remote_texts_write_hooks(memory, texts,
					       share(attaching, inspection));
	return attach_explain_write(err, at, why);
}

/*
 * Stops all threads, makes the library count in them, and writes the texts.
 * Returns 0; -EAGAIN if the threads must run before another attempt; or another
 * -errno and *why.
 */
static int enter_once(struct attaching *attaching, struct remote_texts *texts,
		      char **why)
{
	struct inspection inspection = { 0 };
	int err = remote_frames_prepare(&inspection.reader, &attaching->tracer,
					&attaching->maps,
					WIRE_ATTACH_FRAMES_MAX, why);

	if (err)
		return err;
	err = tracer_stop_all(&attaching->tracer, ATTACH_STOP_NS, why);
	if (err) {
		stack_reader_end(&inspection.reader);
		return err;
	}
	err = find_frames(attaching, &inspection, why);
	if (!err)
		err = check_alternate_stacks(attaching, &inspection.attachment,
					     why);
	if (!err)
		err = attach_call_stopped(attaching, attaching->enter,
					  inspection.list, inspection.count,
					  why);
	if (!err)
		err = write_texts(attaching, &inspection, texts, why);
	if (!err)
		err = remote_frames_write(&attaching->tracer,
					  &inspection.frames, why);
	if (!err)
		opened_signals_take(&attaching->tracer, &inspection.attachment,
				    is_in_handler, &inspection);
	forget_frames(&inspection);
	if (err == -ETXTBSY)
		attach_set_state(attaching, WIRE_ATTACH_NONE);
	attach_note_pause(&attaching->tracer, &attaching->all_ns);
	tracer_release(&attaching->tracer);
	stack_reader_end(&inspection.reader);
	return err;
}

/*
 * Starts the reports of language runtimes. If this fails, detaches from the
 * process, unless it has exited. Returns 0, or -errno and *why.
 */
static int begin_runtimes(struct attaching *attaching, char **why)
{
	int err = attach_begin_runtimes(attaching, why);
	char *also;

	if (err && err != -ESRCH && attaching_detach(attaching, &also) != 0)
		free(also);
	return err;
}

/*
 * Stores the path of the recording's final folder in the library, for another
 * controller in case this controller is killed.
 */
static int write_home(const struct attaching *attaching, const char *home,
		      char **why)
{
	return write_member(attaching, offsetof(struct wire_attachment, home),
			    home, strlen(home) + 1, why);
}

static int write_avoided(const struct attaching *attaching, char **why)
{
	return write_member(
		attaching, offsetof(struct wire_attachment, avoided_calls),
		&attaching->avoided, sizeof(attaching->avoided), why);
}

int attaching_enter(struct attaching *attaching, const char *directory,
		    const char *home, char **why)
{
	uint64_t deadline_ns = 0;
	int err;

	*why = NULL;
	err = write_home(attaching, home, why);
	if (!err)
		err = write_avoided(attaching, why);
	if (err)
		return err;
	do {
		struct remote_texts texts = { 0 };

		err = prepare(attaching, directory, why);
		if (!deadline_ns)
			deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
		if (!err)
			err = attach_plan(attaching, &texts, why);
		if (!err)
			err = enter_once(attaching, &texts, why);
		remote_texts_free(&texts);
	} while (attach_is_to_be_repeated(err, deadline_ns, why));
	return err ? err : begin_runtimes(attaching, why);
}
