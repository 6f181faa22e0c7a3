/* SPDX-License-Identifier: MIT */
/*
 * What entering a process and leaving it have in common: threads that are stopped
 * where a function can be called, calls of the library's functions, and what is to be
 * written. What has a *why gives 0, or -errno and that.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_STEPS_H
#define CLEW_CLI_ATTACH_ATTACH_STEPS_H

#include <time.h>

#include "cli/attach/attaching.h"
#include "cli/attach/remote_call.h"
#include "cli/attach/remote_texts.h"

/* For a safe thread and moment; for all threads to stop; for a call to return. */
#define ATTACH_PATIENCE_NS UINT64_C(10000000000)
#define ATTACH_STOP_NS     UINT64_C(100000000)
#define ATTACH_CALL_NS     UINT64_C(60000000000)

static inline void attach_pause_ms(long ms)
{
	const struct timespec moment = { .tv_nsec = ms * 1000000 };

	nanosleep(&moment, NULL);
}

/* How long it has been since the first was stopped, where that is the longest. */
void attach_note_pause(struct tracer *tracer, uint64_t *longest);

/* ---- One thread ---- */

/* Stops one, the tracer's first, in which libc can be called. */
int attach_stop_safe_thread(struct attaching *attaching, char **why);

/* Lets that thread go on, and notes how long it was stopped. */
void attach_release_one(struct attaching *attaching);

/* In a thread that is stopped, by its index, which has this at call->data. */
int attach_begin_call(struct attaching *attaching, struct remote_call *call,
		      size_t thread, const void *data, size_t bytes,
		      char **why);

/* A function of the library's; what it says is the result. */
int attach_call_library(struct attaching *attaching, struct remote_call *call,
			uint64_t function, uint64_t first, uint64_t second,
			char **why);

/*
 * A function of the library's with one argument, for which nobody is stopped but a
 * thread that is chosen for it, and that for no longer than it takes.
 */
int attach_call_alone(struct attaching *attaching, uint64_t function,
		      uint64_t argument, char **why);

/* Likewise, unless that turns out to be needless while a thread is looked for. */
int attach_call_unless(struct attaching *attaching, uint64_t function,
		       int (*is_needless)(const struct attaching *attaching),
		       char **why);

/* Says in words what remote_run() gave. Returns it. */
int attach_explain_call(int err, char **why);

/* ---- All of them, stopped ---- */

/* free() it. */
struct wire_stopped *attach_list_stopped(const struct tracer *tracer,
					 size_t *count);

/* A function of the library's that wants all threads stopped, and this list of them. */
int attach_call_stopped(struct attaching *attaching, uint64_t function,
			const struct wire_stopped *list, size_t count,
			char **why);

/* ---- Language runtimes ---- */

/*
 * A thread of the library's own begins to ask them, or ends that: enum
 * wire_attach_runtimes. Unless there are none. That they do not answer in time is no
 * reason not to record.
 */
int attach_begin_runtimes(struct attaching *attaching, char **why);
int attach_end_runtimes(struct attaching *attaching, char **why);

/* ---- What is written ---- */

/* What takes time is done before anybody is stopped. remote_texts_free() it. */
int attach_plan(struct attaching *attaching, struct remote_texts *texts,
		char **why);

/* Says in words what writing code gave: 0 if that was 0. */
int attach_explain_write(int err, uint64_t at, char **why);

/* In the library's own words: enum wire_attach_state. 0 or -errno. */
int attach_set_state(const struct attaching *attaching, uint32_t state);

/* Whether that was -EAGAIN, and there is time left for it; *why is freed then. */
int attach_is_to_be_repeated(int err, uint64_t deadline_ns, char **why);

#endif
