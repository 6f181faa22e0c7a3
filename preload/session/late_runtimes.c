/* SPDX-License-Identifier: MIT */
/*
 * clew_attach_runtimes(): starts or ends the reports of language runtimes that
 * ran before clew attached, such as a JVM (generated/managed.h). In a process
 * with the preloaded library, switches counting in the JVM on or off
 * (--java=standby).
 *
 * A thread of clew's own does this work and then ends. A runtime may have to
 * wait for all threads of the program, including the one that clew has borrowed
 * for this call. Therefore the call does not wait: the controller polls
 * clew_attachment.runtimes until the work is done, and continues without it if
 * no progress is made for too long (runtime_steps). libc creates the thread,
 * because runtimes need libc's data about it.
 */
#include <errno.h>
#include <stdatomic.h>

#include "preload/front/own_thread.h"
#include "preload/hooking/layers.h"
#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/session/attach.h"
#include "preload/sys/sys.h"

static void end_with(uint32_t state)
{
	atomic_store(&clew_attachment.runtimes, state);
}

static void begin(void)
{
	layers_begin_late();
	end_with(WIRE_RUNTIMES_TELL);
}

static void end(void)
{
	end_with(layers_end_late() ? WIRE_RUNTIMES_UNLEFT : WIRE_RUNTIMES_NONE);
}

/*
 * Switches counting on in a process with the preloaded library, whose runtime
 * stands by.
 */
static void switch_on(void)
{
	end_with(layers_switch(1) ? WIRE_RUNTIMES_FOUND : WIRE_RUNTIMES_TELL);
}

static void switch_off(void)
{
	end_with(layers_switch(0) ? WIRE_RUNTIMES_UNLEFT : WIRE_RUNTIMES_FOUND);
}

static int make_thread(uint32_t wish)
{
	if (clew_attachment.state == WIRE_ATTACH_PRELOADED)
		return own_thread_make(
			wish == WIRE_RUNTIMES_BEGIN ? switch_on : switch_off);
	return own_thread_make(wish == WIRE_RUNTIMES_BEGIN ? begin : end);
}

/* The pid of the process whose runtimes have received a request. */
static int asked_pid;

/*
 * Returns whether this is a forked child of a process that clew attached to.
 */
static int is_in_child(void)
{
	return clew_attachment.state != WIRE_ATTACH_PRELOADED &&
	       asked_pid != sys_getpid();
}

/*
 * Returns whether the request can be answered without a thread, because there
 * is nothing to do. In a forked child the runtime's threads do not exist.
 */
static int is_needless(uint32_t wish)
{
	const uint32_t now = atomic_load(&clew_attachment.runtimes);

	if (wish == WIRE_RUNTIMES_END && asked_pid != sys_getpid())
		return 1;
	return wish == WIRE_RUNTIMES_BEGIN
		       ? now != WIRE_RUNTIMES_FOUND
		       : now != WIRE_RUNTIMES_TELL &&
				 now != WIRE_RUNTIMES_UNLEFT;
}

static void ask(uint32_t wish)
{
	const uint32_t former = atomic_load(&clew_attachment.runtimes);

	clew_attachment.result = 0;
	if (is_needless(wish)) {
		if (wish == WIRE_RUNTIMES_END) {
			if (is_in_child())
				layers_abandon();
			atomic_store(&clew_attachment.runtimes,
				     WIRE_RUNTIMES_NONE);
		}
		return;
	}
	asked_pid = sys_getpid();
	rt.late_steps = &clew_attachment.runtime_steps;
	atomic_store(&clew_attachment.runtimes, wish);
	if (make_thread(wish))
		atomic_store(&clew_attachment.runtimes,
			     wish == WIRE_RUNTIMES_BEGIN &&
					     clew_attachment.state !=
						     WIRE_ATTACH_PRELOADED
				     ? WIRE_RUNTIMES_NONE
				     : former);
}

EXPORT void clew_attach_runtimes(uint64_t wish)
{
	const uint32_t muted = attach_mute();
	const int saved_errno = errno;

	if (attach_begin_call()) {
		ask((uint32_t)wish);
		attach_end_call();
	}
	errno = saved_errno;
	switch_unmute(muted);
}
