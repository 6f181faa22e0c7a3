/* SPDX-License-Identifier: MIT */
/*
 * Steps that attaching and detaching share: finding threads in which functions
 * can be called, calling the library's functions, and preparing code to write.
 * Functions with a parameter `why` return 0, or -errno and set *why, unless
 * their comment says otherwise.
 */
#ifndef CLEW_CLI_ATTACH_ATTACH_STEPS_H
#define CLEW_CLI_ATTACH_ATTACH_STEPS_H

#include <time.h>

#include "cli/attach/attaching.h"
#include "cli/attach/remote_call.h"
#include "cli/attach/remote_texts.h"

/*
 * Time limits: for finding a thread in which libc can be called ("safe" below),
 * for stopping all threads, and for a call.
 */
#define ATTACH_PATIENCE_NS UINT64_C(10000000000)
#define ATTACH_STOP_NS     UINT64_C(100000000)
#define ATTACH_CALL_NS     UINT64_C(60000000000)

static inline void attach_pause_ms(long ms)
{
	const struct timespec moment = { .tv_nsec = ms * 1000000 };

	nanosleep(&moment, NULL);
}

/*
 * Sets *longest to the time since the first thread was stopped, if this time is
 * longer.
 */
void attach_note_pause(struct tracer *tracer, uint64_t *longest);

/* ---- One thread ---- */

/*
 * Stops a safe thread, which becomes tracer.threads[0]. The caller calls
 * attach_release_one().
 */
int attach_stop_safe_thread(struct attaching *attaching, char **why);

/*
 * Lets the thread of attach_stop_safe_thread() continue, and sets
 * attaching->one_ns to the time for which it was stopped, if this time is
 * longer.
 */
void attach_release_one(struct attaching *attaching);

/*
 * Prepares calls in the stopped thread with index `thread`, and copies the data
 * to its stack, at address call->data. The caller calls remote_end().
 */
int attach_begin_call(struct attaching *attaching, struct remote_call *call,
		      size_t thread, const void *data, size_t bytes,
		      char **why);

/*
 * Calls the library's function at address `function`, with two arguments. If
 * the call cannot be made or does not complete, returns -errno and *why;
 * otherwise the library's result, and, if it is not 0, the library's message in
 * *why.
 */
int attach_call_library(struct attaching *attaching, struct remote_call *call,
			uint64_t function, uint64_t first, uint64_t second,
			char **why);

/*
 * Calls a function of the library in a safe thread. At most one thread is
 * stopped at a time: each thread that is checked for being safe, and the safe
 * one during the call.
 */
int attach_call_alone(struct attaching *attaching, uint64_t function,
		      uint64_t argument, char **why);

/*
 * Like attach_call_alone() with the argument 0. If is_needless() returns 1
 * before a safe thread is found, makes no call and returns 0.
 */
int attach_call_unless(struct attaching *attaching, uint64_t function,
		       int (*is_needless)(const struct attaching *attaching),
		       char **why);

/* Sets *why to a message for an error of remote_run(). Returns err. */
int attach_explain_call(int err, char **why);

/* ---- All threads, stopped ---- */

/*
 * Returns an array of the stopped threads, as the library's functions need it,
 * and its length in *count. The caller frees the array.
 */
struct wire_stopped *attach_list_stopped(const struct tracer *tracer,
					 size_t *count);

/*
 * Calls a function of the library for which all threads must be stopped, and
 * passes the array of them.
 */
int attach_call_stopped(struct attaching *attaching, uint64_t function,
			const struct wire_stopped *list, size_t count,
			char **why);

/* ---- Language runtimes ---- */

/*
 * Start or end the reports of language runtimes, in a thread of the library's
 * own (enum wire_attach_runtimes). Do nothing if the process has no language
 * runtime. A runtime that does not answer in time is an error (-EBUSY) only at
 * the end of the reports.
 */
int attach_begin_runtimes(struct attaching *attaching, char **why);
int attach_end_runtimes(struct attaching *attaching, char **why);

/* ---- Writing ---- */

/*
 * Copies the list of texts and reads their pages, so that little remains to be
 * done while all threads are stopped. The caller calls remote_texts_free().
 */
int attach_plan(struct attaching *attaching, struct remote_texts *texts,
		char **why);

/*
 * Sets *why to a message for the error err of writing code; with -ETXTBSY, `at`
 * is the address of unexpected bytes. Returns err; does nothing if err is 0.
 */
int attach_explain_write(int err, uint64_t at, char **why);

/* Sets the library's state (enum wire_attach_state). Returns 0 or -errno. */
int attach_set_state(const struct attaching *attaching, uint32_t state);

/*
 * Returns whether err is -EAGAIN and the deadline has not passed. If so, frees
 * *why and sleeps for a millisecond. If not, and err is an error without a
 * message, sets *why.
 */
int attach_is_to_be_repeated(int err, uint64_t deadline_ns, char **why);

#endif
