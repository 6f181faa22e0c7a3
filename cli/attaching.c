/* SPDX-License-Identifier: MIT */
#include "cli/attaching.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/display_text.h"
#include "base/fail.h"
#include "base/memory.h"
#include "cli/remote_call.h"
#include "cli/remote_frames.h"
#include "cli/remote_texts.h"
#include "cli/safe_thread.h"
#include "cli/stopped_registers.h"
#include "cli/thread_variable.h"
#include "cli/unwinding.h"
#include "machine/address_space.h"

#define LIBRARY "libclew.so"
#define LIBC    "libc.so.6"

/* For a safe thread and moment; for one thread to stop, and all of them. */
#define PATIENCE_NS  UINT64_C(10000000000)
#define ONE_STOPS_NS UINT64_C(50000000)
#define ALL_STOP_NS  UINT64_C(100000000)
#define CALL_NS      UINT64_C(60000000000)

/* For those that throw to be where no exception is on its way. */
#define UNWINDS_NS UINT64_C(10000000)

/* What dlopen() and the library's own functions may take of a stack. */
#define STACK_BYTES (UINT64_C(128) << 10)

static void pause_ms(long ms)
{
	const struct timespec moment = { .tv_nsec = ms * 1000000 };

	nanosleep(&moment, NULL);
}

/* ---- Opening ---- */

/* A name that the kernel forgets with its owner. */
static int take_lock(pid_t pid, char **why)
{
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int length = snprintf(name.sun_path + 1, sizeof(name.sun_path) - 1,
			      "clew-attach-%d", pid);
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return fail(why, -errno, "no socket: %s", strerror(errno));
	if (bind(fd, (const struct sockaddr *)&name,
		 (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 +
			     (size_t)length)) == 0)
		return fd;
	close(fd);
	return fail(why, -EBUSY, "another clew is attached to it, or about to");
}

/* Before glibc 2.34 dlopen() is in a library that few have. */
static void find_libc(struct attaching *attaching)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, LIBC);
	const struct target_mapping *libdl =
		target_module(&attaching->maps, "libdl.so.2");
	const pid_t pid = attaching->pid;

	attaching->load = target_symbol(pid, libc, "dlopen");
	attaching->load_error = target_symbol(pid, libc, "dlerror");
	if (!attaching->load && libdl) {
		attaching->load = target_symbol(pid, libdl, "dlopen");
		attaching->load_error = target_symbol(pid, libdl, "dlerror");
	}
	if (!attaching->load)
		attaching->load =
			target_symbol(pid, libc, "__libc_dlopen_mode");
	attaching->restorer = target_bytes(pid, libc, remote_restorer_code,
					   remote_restorer_bytes);
}

/* All of libc's variables of a thread are in one block. 0 or -errno. */
static int find_variables(struct attaching *attaching)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, LIBC);
	const pid_t pid = attaching->pid;
	const uint64_t location = target_symbol(pid, libc, "__errno_location");
	const uint64_t number = target_symbol(pid, libc, "errno");
	const uint64_t result =
		target_symbol(pid, libc, "__libc_dlerror_result");
	int err = location ? thread_variable_find(attaching->tracer.memory,
						  location,
						  &attaching->errno_offset)
			   : -ENOTSUP;

	if (!err && number && result)
		attaching->load_result =
			attaching->errno_offset + (int64_t)(result - number);
	return err;
}

static void find_library(struct attaching *attaching)
{
	const struct target_mapping *own =
		target_module(&attaching->maps, LIBRARY);
	const struct {
		const char *name;
		uint64_t *at;
	} symbols[] = {
		{ WIRE_ATTACHMENT, &attaching->attachment },
		{ WIRE_ATTACH_PREPARE, &attaching->prepare },
		{ WIRE_ATTACH_ENTER, &attaching->enter },
		{ WIRE_ATTACH_FINISH, &attaching->finish },
		{ WIRE_ATTACH_LEAVE, &attaching->leave },
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		*symbols[i].at = own ? target_symbol(attaching->pid, own,
						     symbols[i].name)
				     : 0;
}

static int look_again(struct attaching *attaching, char **why)
{
	target_free_maps(&attaching->maps);
	return target_read_maps(attaching->pid, &attaching->maps, why);
}

/*
 * A controller that was killed may have left a call under way, in which the library
 * is loaded or does what was asked of it.
 */
static int is_called(const struct attaching *attaching)
{
	struct wire_attachment attachment;

	if (!attaching->attachment ||
	    target_read(attaching->tracer.memory, attaching->attachment,
			&attachment, sizeof(attachment)) != 0)
		return 0;
	return !attachment.version ||
	       (attachment.caller &&
		!target_thread_is_going(attaching->pid,
					(pid_t)attachment.caller));
}

static int wait_for_former(struct attaching *attaching, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + PATIENCE_NS;
	int err = 0;

	find_library(attaching);
	while (!err && is_called(attaching)) {
		if (tracer_now_ns() >= deadline_ns)
			return fail(why, -EBUSY,
				    "a call that an earlier clew attach made "
				    "in it has not returned");
		pause_ms(2);
		err = look_again(attaching, why);
		find_library(attaching);
	}
	return err;
}

int attaching_open(struct attaching *attaching, pid_t pid, char **why)
{
	int err;

	*attaching = (struct attaching){ .pid = pid };
	attaching->lock = take_lock(pid, why);
	if (attaching->lock < 0)
		return attaching->lock;
	err = tracer_open(&attaching->tracer, pid, why);
	if (err)
		goto close_lock;
	err = look_again(attaching, why);
	if (err)
		goto close_tracer;
	if (target_module(&attaching->maps, LIBC))
		find_libc(attaching);
	if (!attaching->load || !attaching->restorer ||
	    find_variables(attaching) != 0) {
		err = fail(why, -ENOTSUP,
			   "its C library is not one that clew knows");
		goto close_tracer;
	}
	err = wait_for_former(attaching, why);
	if (err)
		goto close_tracer;
	return 0;
close_tracer:
	target_free_maps(&attaching->maps);
	tracer_close(&attaching->tracer);
close_lock:
	close(attaching->lock);
	return err;
}

void attaching_close(struct attaching *attaching)
{
	target_free_maps(&attaching->maps);
	tracer_close(&attaching->tracer);
	close(attaching->lock);
}

int attaching_read(const struct attaching *attaching,
		   struct wire_attachment *attachment, char **why)
{
	int err = attaching->attachment
			  ? target_read(attaching->tracer.memory,
					attaching->attachment, attachment,
					sizeof(*attachment))
			  : 0;

	if (!attaching->attachment)
		*attachment = (struct wire_attachment){ 0 };
	if (err)
		return fail(why, err, "its memory cannot be read: %s",
			    strerror(-err));
	if (attachment->state == WIRE_ATTACH_PRELOADED)
		return fail(why, -EEXIST,
			    "it has been under clew since its start");
	if (attachment->version && attachment->version != WIRE_ATTACH_VERSION)
		return fail(why, -EPROTO,
			    "it has libclew.so of another version");
	attachment->why[sizeof(attachment->why) - 1] = '\0';
	attachment->dir[sizeof(attachment->dir) - 1] = '\0';
	return 0;
}

static int set_state(const struct attaching *attaching, uint32_t state)
{
	return target_write(attaching->tracer.memory,
			    attaching->attachment +
				    offsetof(struct wire_attachment, state),
			    &state, sizeof(state));
}

/* ---- One thread ---- */

static void note_pause(struct tracer *tracer, uint64_t *longest)
{
	const uint64_t ns =
		tracer->stopped_ns ? tracer_now_ns() - tracer->stopped_ns : 0;

	if (ns > *longest)
		*longest = ns;
}

/* 1 if that thread is stopped where libc can be called; 0; or -errno. */
static int try_thread(struct attaching *attaching,
		      const struct safe_places *places, pid_t tid, char **why)
{
	struct tracer *tracer = &attaching->tracer;
	int err = tracer_stop_one(tracer, tid, ONE_STOPS_NS, why);

	if (err)
		return err == -EAGAIN ? 0 : err;
	if (safe_thread_has_room(places, &tracer->threads[0], STACK_BYTES) &&
	    safe_thread_is_outside(places, &tracer->threads[0]))
		return 1;
	note_pause(tracer, &attaching->one_ns);
	tracer_release(&attaching->tracer);
	return 0;
}

/* Whether one of them is; the process's first is asked first. */
static int try_threads(struct attaching *attaching,
		       const struct safe_places *places, char **why)
{
	pid_t *tids;
	const size_t count = target_threads(attaching->pid, &tids);
	int found = count ? 0 : fail(why, -ESRCH, "it has ended");

	for (size_t i = 0; i < count && !found; i++)
		found = try_thread(attaching, places, tids[i], why);
	free(tids);
	return found;
}

/* Stop a thread in which libc can be called. 0, or -errno and *why. */
static int stop_safe_thread(struct attaching *attaching, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + PATIENCE_NS;
	struct safe_places places;
	int found;

	safe_places_init(&places, attaching->pid, &attaching->maps);
	do {
		found = try_threads(attaching, &places, why);
		if (!found && tracer_now_ns() >= deadline_ns)
			found = fail(
				why, -EBUSY,
				"none of its threads was where libc can be "
				"called, for %d seconds",
				(int)(PATIENCE_NS / 1000000000));
		if (!found)
			pause_ms(2);
	} while (!found);
	safe_places_fini(&places);
	return found < 0 ? found : 0;
}

static int explain_call(int err, char **why)
{
	switch (err) {
	case -ESRCH:
		return fail(why, err, "it has ended");
	case -ETIMEDOUT:
		return fail(why, err, "a call in it did not return in time");
	case -EFAULT:
		return fail(why, err, "a call in it failed");
	default:
		return fail(why, err, "it cannot be made to call: %s",
			    strerror(-err));
	}
}

/* In the thread that is stopped, which has this at call->data. */
static int begin_call(struct attaching *attaching, struct remote_call *call,
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
	return err ? explain_call(err, why) : 0;
}

/* A function of the library's, and what it says. */
static int call_library(struct attaching *attaching, struct remote_call *call,
			uint64_t function, uint64_t first, uint64_t second,
			char **why)
{
	const uint64_t arguments[REMOTE_ARGUMENTS] = { first, second };
	struct wire_attachment attachment;
	int err = remote_run(call, function, arguments, CALL_NS);

	if (err)
		return explain_call(err, why);
	err = attaching_read(attaching, &attachment, why);
	if (err)
		return err;
	return attachment.result
		       ? fail(why, attachment.result, "%s", attachment.why)
		       : 0;
}

/* ---- Loading ---- */

/* What dlerror() has returned, as far as it is known; for free(). */
static char *said_of_load(const struct attaching *attaching,
			  const struct remote_call *call)
{
	/* since glibc 2.34 (elf/dl-error.c); nothing of it is relied on */
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

/* The program does not find the error of what it did not do. */
static int explain_load(struct attaching *attaching, struct remote_call *call,
			char **why)
{
	const uint64_t none[REMOTE_ARGUMENTS] = { 0 };
	char *said;

	if (attaching->load_error)
		remote_run(call, attaching->load_error, none, CALL_NS);
	said = said_of_load(attaching, call);
	if (attaching->load_error)
		remote_run(call, attaching->load_error, none, CALL_NS);
	fail(why, -ELIBACC, "its loader does not load libclew.so%s%s",
	     *said ? ": " : "", said);
	free(said);
	return -ELIBACC;
}

static int load_in(struct attaching *attaching, struct remote_call *call,
		   char **why)
{
	const uint64_t arguments[REMOTE_ARGUMENTS] = { call->data,
						       RTLD_NOW | RTLD_LOCAL };
	int err = remote_run(call, attaching->load, arguments, CALL_NS);

	if (err)
		return explain_call(err, why);
	err = look_again(attaching, why);
	if (err)
		return err;
	find_library(attaching);
	return attaching->leave ? 0 : explain_load(attaching, call, why);
}

int attaching_load(struct attaching *attaching, const char *library, char **why)
{
	struct remote_call call;
	int err;

	if (attaching->leave)
		return 0;
	if (target_module(&attaching->maps, LIBRARY))
		return fail(why, -EPROTO,
			    "it has libclew.so of another version");
	err = stop_safe_thread(attaching, why);
	if (err)
		return err;
	err = begin_call(attaching, &call, 0, library, strlen(library) + 1,
			 why);
	if (!err) {
		err = load_in(attaching, &call, why);
		remote_end(&call);
	}
	note_pause(&attaching->tracer, &attaching->one_ns);
	tracer_release(&attaching->tracer);
	return err;
}

/* ---- Entering ---- */

static int prepare(struct attaching *attaching, const char *directory,
		   char **why)
{
	struct remote_call call;
	int err = stop_safe_thread(attaching, why);

	if (err)
		return err;
	err = begin_call(attaching, &call, 0, directory, strlen(directory) + 1,
			 why);
	if (!err) {
		err = call_library(attaching, &call, attaching->prepare,
				   call.data, (uint64_t)getpid(), why);
		remote_end(&call);
	}
	note_pause(&attaching->tracer, &attaching->one_ns);
	tracer_release(&attaching->tracer);
	return err;
}

/* They are stopped: of which one can calls be made that need no lock? */
static int find_caller(struct attaching *attaching, size_t *thread, char **why)
{
	const struct safe_places places = {
		.maps = &attaching->maps,
		.own = target_module(&attaching->maps, LIBRARY),
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
	return fail(why, -EAGAIN, "none of its threads has stack enough");
}

static struct wire_stopped *list_stopped(const struct tracer *tracer,
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
			.tid = (uint64_t)thread->tid,
			.block = stopped_block(&thread->registers),
			.pc = stopped_pc(&thread->registers),
			.sp = stopped_sp(&thread->registers),
		};
	}
	return list;
}

/* Of the library's functions the one that wants all threads stopped. */
static int call_stopped(struct attaching *attaching, uint64_t function,
			const struct wire_stopped *list, size_t count,
			char **why)
{
	struct remote_call call;
	size_t thread = 0;
	int err = find_caller(attaching, &thread, why);

	if (err)
		return err;
	err = begin_call(attaching, &call, thread, list, count * sizeof(*list),
			 why);
	if (err)
		return err;
	err = call_library(attaching, &call, function, call.data, count, why);
	remote_end(&call);
	return err;
}

/* What takes time is done before anybody is stopped. */
static int plan(struct attaching *attaching, struct remote_texts *texts,
		char **why)
{
	struct wire_attachment attachment;
	int err = look_again(attaching, why);

	*texts = (struct remote_texts){ 0 };
	if (!err)
		err = attaching_read(attaching, &attachment, why);
	if (err)
		return err;
	err = remote_texts_plan(attaching->tracer.memory, &attachment, texts);
	return err ? fail(why, err, "its memory cannot be read: %s",
			  strerror(-err))
		   : 0;
}

static int explain_write(int err, uint64_t at, char **why)
{
	if (err == -ETXTBSY)
		return fail(why, err,
			    "somebody else has changed its code, at 0x%" PRIx64,
			    at);
	return err ? fail(why, err, "its code cannot be written: %s",
			  strerror(-err))
		   : 0;
}

static int explain_frames(int err, char **why)
{
	return err ? fail(why, err, "its stacks cannot be written: %s",
			  strerror(-err))
		   : 0;
}

/* All that are stopped, and their frames. */
struct looking {
	struct wire_stopped *list;
	size_t count;
	struct remote_frames frames;
	struct wire_attach_range unwinder;
};

static int is_inside(const struct wire_attach_range *range, uint64_t pc)
{
	return pc >= range->start && pc < range->end;
}

/* It has looked at some frames already, and goes by these. */
static int is_unwinding(void *context, const struct tracee *thread)
{
	const struct looking *looking = context;
	const struct wire_stopped *stopped = looking->list;
	const struct wire_frame *frames;

	while (stopped->tid != (uint64_t)thread->tid)
		stopped++;
	if (is_inside(&looking->unwinder, stopped->pc))
		return 1;
	frames = looking->frames.items + stopped->first_frame;
	for (uint32_t i = 0; i < stopped->frame_count; i++)
		if (is_inside(&looking->unwinder, frames[i].word))
			return 1;
	return 0;
}

static void forget_frames(struct looking *looking)
{
	remote_frames_free(&looking->frames);
	free(looking->list);
	looking->list = NULL;
}

static int look_once(struct attaching *attaching,
		     const struct wire_attachment *attachment,
		     struct looking *looking, char **why)
{
	forget_frames(looking);
	looking->list = list_stopped(&attaching->tracer, &looking->count);
	looking->frames = (struct remote_frames){
		.at = attachment->frames,
		.room = attachment->frame_max,
	};
	return explain_frames(
		remote_frames_find(&attaching->tracer, &attaching->maps,
				   looking->list, &looking->frames),
		why);
}

/* Who is in an unwinder goes on for a moment, but not for ever. */
static int find_frames(struct attaching *attaching, struct looking *looking,
		       char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + UNWINDS_NS;
	struct wire_attachment attachment;
	size_t moved = 1;
	int err = attaching_read(attaching, &attachment, why);

	if (err)
		return err;
	looking->unwinder = attachment.avoided[1];
	for (;;) {
		err = look_once(attaching, &attachment, looking, why);
		if (err || tracer_now_ns() >= deadline_ns)
			return err;
		err = tracer_move(&attaching->tracer, is_unwinding, looking,
				  &moved);
		if (err || !moved)
			return err;
	}
}

/* -EAGAIN: let them go on, and try again. */
static int enter_once(struct attaching *attaching, struct remote_texts *texts,
		      char **why)
{
	const int memory = attaching->tracer.memory;
	struct looking looking = { 0 };
	uint64_t at = 0;
	int err = tracer_stop_all(&attaching->tracer, ALL_STOP_NS, why);

	if (err)
		return err;
	err = find_frames(attaching, &looking, why);
	if (!err)
		err = call_stopped(attaching, attaching->enter, looking.list,
				   looking.count, why);
	if (!err)
		err = explain_write(remote_texts_write(memory, texts, &at), at,
				    why);
	if (!err)
		err = explain_frames(remote_frames_write(&attaching->tracer,
							 &looking.frames),
				     why);
	forget_frames(&looking);
	if (err == -ETXTBSY)
		set_state(attaching, WIRE_ATTACH_NONE);
	note_pause(&attaching->tracer, &attaching->all_ns);
	tracer_release(&attaching->tracer);
	return err;
}

static int is_to_be_repeated(int err, uint64_t deadline_ns, char **why)
{
	if (err != -EAGAIN || tracer_now_ns() >= deadline_ns) {
		if (err && !*why)
			fail(why, err, "its threads do not stop");
		return 0;
	}
	free(*why);
	*why = NULL;
	pause_ms(1);
	return 1;
}

int attaching_enter(struct attaching *attaching, const char *directory,
		    char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + PATIENCE_NS;
	int err;

	*why = NULL;
	do {
		struct remote_texts texts = { 0 };

		err = prepare(attaching, directory, why);
		if (!err)
			err = plan(attaching, &texts, why);
		if (!err)
			err = enter_once(attaching, &texts, why);
		remote_texts_free(&texts);
	} while (is_to_be_repeated(err, deadline_ns, why));
	return err;
}

/* ---- Leaving ---- */

static int finish(struct attaching *attaching, char **why)
{
	struct remote_call call;
	int err = look_again(attaching, why);

	if (!err)
		err = stop_safe_thread(attaching, why);
	if (err)
		return err;
	err = begin_call(attaching, &call, 0, "", 1, why);
	if (!err) {
		err = call_library(attaching, &call, attaching->finish, 0, 0,
				   why);
		remote_end(&call);
	}
	note_pause(&attaching->tracer, &attaching->one_ns);
	tracer_release(&attaching->tracer);
	return err;
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

/* Who is where it cannot be left goes on until it is elsewhere. */
static int move_threads(struct attaching *attaching, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + ALL_STOP_NS;
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
	struct wire_stack_word *words =
		memory_zeroed(attachment->word_count + 1, sizeof(*words));
	int err = target_read(memory, attachment->words, words,
			      attachment->word_count * sizeof(*words));

	for (uint64_t i = 0; i < attachment->word_count && !err; i++)
		err = target_write(memory, words[i].at, &words[i].value,
				   sizeof(words[i].value));
	free(words);
	return err;
}

/* As a thread has them that has just begun. */
static int write_variables(const struct tracer *tracer,
			   const struct wire_attachment *attachment)
{
	const size_t bytes = attachment->variable_bytes;
	const int memory = tracer->memory;
	void *values = memory_zeroed(bytes + 1, 1);
	int err = target_read(memory, attachment->variables, values, bytes);

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

/* What the library has said is to be written of its threads. */
static int write_threads(struct attaching *attaching, char **why)
{
	struct wire_attachment attachment;
	int err = attaching_read(attaching, &attachment, why);

	if (err)
		return err;
	err = write_words(attaching->tracer.memory, &attachment);
	if (!err)
		err = write_variables(&attaching->tracer, &attachment);
	return err ? fail(why, err, "its stacks cannot be written: %s",
			  strerror(-err))
		   : 0;
}

static int leave_stopped(struct attaching *attaching, char **why)
{
	size_t count;
	struct wire_stopped *list = list_stopped(&attaching->tracer, &count);
	int err = call_stopped(attaching, attaching->leave, list, count, why);

	free(list);
	return err;
}

static int leave_once(struct attaching *attaching, struct remote_texts *texts,
		      char **why)
{
	int err = tracer_stop_all(&attaching->tracer, ALL_STOP_NS, why);

	if (err)
		return err;
	err = move_threads(attaching, why);
	if (!err)
		err = leave_stopped(attaching, why);
	if (!err)
		err = write_threads(attaching, why);
	if (!err)
		err = explain_write(
			remote_texts_restore(attaching->tracer.memory, texts),
			0, why);
	if (!err)
		err = set_state(attaching, WIRE_ATTACH_NONE);
	note_pause(&attaching->tracer, &attaching->all_ns);
	tracer_release(&attaching->tracer);
	return err;
}

int attaching_leave(struct attaching *attaching, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + PATIENCE_NS;
	int err, is_finished = 0;

	*why = NULL;
	do {
		struct remote_texts texts = { 0 };

		err = is_finished ? 0 : finish(attaching, why);
		is_finished |= !err;
		if (!err)
			err = plan(attaching, &texts, why);
		if (!err)
			err = leave_once(attaching, &texts, why);
		remote_texts_free(&texts);
		if (err == -ESTALE) { /* other modules than when it finished */
			is_finished = 0;
			err = -EAGAIN;
		}
	} while (is_to_be_repeated(err, deadline_ns, why));
	return err;
}
