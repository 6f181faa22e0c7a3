/* SPDX-License-Identifier: MIT */
/* See attaching.h. */
#include "cli/attach/attaching.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cli/attach/attach_steps.h"
#include "cli/attach/filters.h"
#include "cli/attach/remote_call.h"
#include "cli/attach/thread_variable.h"
#include "cli/common/library.h"
#include "cli/target/attachment_copy.h"
#include "cli/target/own_ids.h"
#include "image/image.h"

/*
 * Finds functions of libc in the process. Before glibc 2.34, dlopen() is in
 * libdl, which few programs load; then an internal function of libc is used.
 */
static void find_libc(struct attaching *attaching)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, TARGET_LIBC);
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

/*
 * Finds the offsets of errno and of dlerror()'s result from a thread's control
 * block. All of libc's variables of a thread have fixed distances from each
 * other, so the second offset follows from the first. Returns 0 or -errno.
 */
static int find_variables(struct attaching *attaching)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, TARGET_LIBC);
	const pid_t pid = attaching->pid;
	const uint64_t location = target_symbol(pid, libc, "__errno_location");
	const uint64_t number = target_symbol(pid, libc, "errno");
	const uint64_t result =
		target_symbol(pid, libc, "__libc_dlerror_result");
	uint8_t code[THREAD_VARIABLE_CODE_BYTES];
	int err = location
			  ? target_code(pid, libc, location, code, sizeof(code))
			  : -ENOTSUP;

	if (!err)
		err = thread_variable_find(attaching->tracer.memory, location,
					   code, &attaching->errno_offset);
	if (!err && number && result)
		attaching->load_result =
			attaching->errno_offset + (int64_t)(result - number);
	return err;
}

static int refuse_libc(const struct attaching *attaching, char **why)
{
	const struct target_mapping *libc =
		target_module(&attaching->maps, TARGET_LIBC);
	struct image image;
	int err = libc ? target_open_module(attaching->pid, libc, &image)
		       : -ENOTSUP;

	if (!err)
		image_close(&image);
	if (!libc || !err)
		return fail(why, -ENOTSUP,
			    "its C library lacks functions that clew needs (is "
			    "it glibc?)");
	return fail(why, err,
		    "%s, as the process has mapped it, cannot be opened: %s; "
		    "run clew as root or with CAP_CHECKPOINT_RESTORE",
		    libc->path, strerror(-err));
}

void attaching_find_library(struct attaching *attaching)
{
	const struct target_mapping *own =
		target_module(&attaching->maps, LIBRARY_NAME);
	const struct {
		const char *name;
		uint64_t *at;
	} symbols[] = {
		{ WIRE_ATTACHMENT, &attaching->attachment },
		{ WIRE_ATTACH_PREPARE, &attaching->prepare },
		{ WIRE_ATTACH_ENTER, &attaching->enter },
		{ WIRE_ATTACH_SHARE, &attaching->share },
		{ WIRE_ATTACH_RUNTIMES, &attaching->runtimes },
		{ WIRE_ATTACH_FINISH, &attaching->finish },
		{ WIRE_ATTACH_DETACH, &attaching->detach },
		{ WIRE_ATTACH_RELEASE, &attaching->release },
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		*symbols[i].at = own ? target_symbol(attaching->pid, own,
						     symbols[i].name)
				     : 0;
}

int attaching_read_again(struct attaching *attaching, char **why)
{
	safe_places_expire(&attaching->places);
	target_free_maps(&attaching->maps);
	return target_read_maps(attaching->pid, &attaching->maps, why);
}

int attaching_has_thread(const struct attaching *attaching, pid_t own_tid)
{
	pid_t *tids;
	const size_t count = target_threads(attaching->pid, &tids);
	int is = 0;

	for (size_t i = 0; i < count && !is; i++)
		is = own_ids_of(attaching->pid, tids[i]) == own_tid &&
		     !target_thread_is_going(attaching->pid, tids[i]);
	free(tids);
	return is;
}

/*
 * Returns whether a thread of the process still executes a call that a killed
 * controller has made: of dlopen() or of a function of the library.
 */
static int is_called(const struct attaching *attaching)
{
	struct wire_attachment attachment;
	char *why = NULL;

	if (!attaching->attachment ||
	    attachment_copy(attaching->tracer.memory, attaching->attachment,
			    &attachment, &why) != 0) {
		free(why);
		return 0;
	}
	return !attachment.version ||
	       (attachment.caller &&
		attaching_has_thread(attaching, (pid_t)attachment.caller));
}

static int wait_for_former(struct attaching *attaching, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
	int err = 0;

	attaching_find_library(attaching);
	while (!err && is_called(attaching)) {
		if (tracer_now_ns() >= deadline_ns)
			return fail(why, -EBUSY,
				    "a call that an earlier clew attach made "
				    "in it has not returned yet; try again");
		attach_pause_ms(2);
		err = attaching_read_again(attaching, why);
		attaching_find_library(attaching);
	}
	return err;
}

/*
 * Opens a process whose lock is held. Releases the lock on failure. Returns 0,
 * or -errno and *why.
 */
static int open_locked(struct attaching *attaching, pid_t pid,
		       const struct attach_lock *lock, char **why)
{
	int err;

	*attaching = (struct attaching){ .pid = pid, .lock = *lock };
	err = tracer_open(&attaching->tracer, pid, why);
	if (err)
		goto release_lock;
	err = filters_check(attaching, why);
	if (err)
		goto close_tracer;
	err = attaching_read_again(attaching, why);
	if (err)
		goto close_tracer;
	if (target_module(&attaching->maps, TARGET_LIBC))
		find_libc(attaching);
	if (!attaching->load || !attaching->restorer ||
	    find_variables(attaching) != 0) {
		err = refuse_libc(attaching, why);
		goto close_tracer;
	}
	err = wait_for_former(attaching, why);
	if (err)
		goto close_tracer;
	return 0;
close_tracer:
	target_free_maps(&attaching->maps);
	tracer_close(&attaching->tracer);
release_lock:
	attach_lock_release(&attaching->lock);
	return err;
}

int attaching_open(struct attaching *attaching, pid_t pid, char **why)
{
	struct attach_lock lock;
	const int err = attach_lock_take(&lock, pid, ATTACH_LOCK_SESSION, why);

	return err ? err : open_locked(attaching, pid, &lock, why);
}

int attaching_open_beside(struct attaching *attaching, pid_t pid, char **why)
{
	const uint64_t deadline_ns = tracer_now_ns() + ATTACH_PATIENCE_NS;
	struct attach_lock lock;
	int err;

	while ((err = attach_lock_take(&lock, pid, ATTACH_LOCK_PROBES, why)) ==
		       -EBUSY &&
	       tracer_now_ns() < deadline_ns) {
		free(*why);
		*why = NULL;
		attach_pause_ms(1);
	}
	return err ? err : open_locked(attaching, pid, &lock, why);
}

void attaching_close(struct attaching *attaching)
{
	free(attaching->notice);
	safe_places_fini(&attaching->places);
	target_free_maps(&attaching->maps);
	tracer_close(&attaching->tracer);
	attach_lock_release(&attaching->lock);
}

int attaching_read(const struct attaching *attaching,
		   struct wire_attachment *attachment, char **why)
{
	int err = 0;

	*attachment = (struct wire_attachment){ 0 };
	if (attaching->attachment)
		err = attachment_copy(attaching->tracer.memory,
				      attaching->attachment, attachment, why);
	if (!err && attachment->state == WIRE_ATTACH_PRELOADED &&
	    !attaching->stands_by)
		err = fail(why, -EEXIST,
			   "it has been recorded since its start; clew "
			   "snapshot saves its calls so far");
	return err;
}
