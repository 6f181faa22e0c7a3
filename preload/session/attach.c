/* SPDX-License-Identifier: MIT */
/*
 * Starts a session in a process that was already running when clew attached
 * (wire/attachment.h).
 *
 * This file prepares the same things as init.c does before main(), but changes
 * no code. The changes are listed in the journal (patch/journal.h), and the
 * controller writes them while all threads are stopped. When clew detaches, the
 * session's memory is freed (release.h). The library stays loaded, and the next
 * session uses it again.
 */
#include "preload/session/attach.h"

#include <errno.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>

#include "machine/control_block.h"
#include "preload/answers/agent_marks.h"
#include "preload/answers/agent_values.h"
#include "preload/budget/budget.h"
#include "preload/front/agent_entries.h"
#include "preload/front/entries.h"
#include "preload/front/generators.h"
#include "preload/generated/earlier_code.h"
#include "preload/generated/makers.h"
#include "preload/generated/records.h"
#include "preload/hooking/layers.h"
#include "preload/hooking/loader.h"
#include "preload/hooking/prelinking.h"
#include "preload/hooking/shared_text.h"
#include "preload/host/lookup.h"
#include "preload/host/next.h"
#include "preload/host/obstacle.h"
#include "preload/host/own_place.h"
#include "preload/host/shadow_place.h"
#include "preload/host/thread_template.h"
#include "preload/hot/runtime.h"
#include "preload/hot/switch.h"
#include "preload/hot/thread_block.h"
#include "preload/patch/journal.h"
#include "preload/patch/shadowed.h"
#include "preload/patch/trap.h"
#include "preload/process/process.h"
#include "preload/session/begin.h"
#include "preload/session/hook_slices.h"
#include "preload/session/release.h"
#include "preload/sys/own_code.h"
#include "preload/sys/proc.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/signal_return.h"
#include "preload/sys/text.h"
#include "preload/sys/thread_pointer.h"
#include "preload/time/sampling.h"
#include "preload/time/ticks.h"
#include "preload/tracing/call_values.h"

struct wire_attachment clew_attachment;

/*
 * The state of a thread that executes query_stack.S. The controller writes it,
 * and the thread restores its registers from it.
 */
extern struct wire_stack_query attach_stack_query;

void attach_query_stack(void);

/* State of this session, or of the former one between two sessions. */
static struct {
	/*
	 * clew's SIGTRAP handler is installed, so the program's threads must
	 * not block SIGTRAP.
	 */
	int has_trap;
} session;

/*
 * Returns whether the program has a signal handler that runs on an alternate
 * stack. If not, threads need not be queried for their alternate stacks.
 */
static int has_handlers_on_alternate_stacks(void)
{
	struct kernel_action action;

	for (int signal = 1; signal < _NSIG; signal++)
		if (!signal_get_action(signal, &action) &&
		    action.flags & SA_ONSTACK &&
		    !own_code_is_library(action.handler))
			return 1;
	return 0;
}

void attach_report_texts(void)
{
	const uint64_t busy = (uintptr_t)&hot.loans.borrower;

	clew_attachment.texts =
		(uintptr_t)journal_texts(&clew_attachment.text_count);
	clew_attachment.avoided[0] =
		(struct wire_attach_range){ own_code_start(), own_code_end() };
	clew_attachment.avoided[1] =
		(struct wire_attach_range){ next.unwinder.start,
					    next.unwinder.end };
	clew_attachment.windows = (uintptr_t)hot_windows;
	clew_attachment.window_values =
		UINT64_C(1) << WINDOW_STUBS | UINT64_C(1) << WINDOW_TRAMPOLINES;
	clew_attachment.busy_at = busy - thread_block();
	clew_attachment.variables = thread_template_at();
	clew_attachment.variable_bytes = sizeof(hot);
	clew_attachment.variables_at = (uintptr_t)&hot - thread_block();
	clew_attachment.opened = session.has_trap ? TRAP_BIT : 0;
	clew_attachment.blocks_at = trap_blocks_at();
	clew_attachment.query_code = has_handlers_on_alternate_stacks()
					     ? (uintptr_t)attach_query_stack
					     : 0;
	clew_attachment.query = (uintptr_t)&attach_stack_query;
}

uint32_t attach_mute(void)
{
	own_place_begin_thread();
	return switch_mute(HOT_MUTED_OWN);
}

int attach_try_call(void)
{
	const uint32_t own = (uint32_t)sys_gettid();
	uint32_t other = atomic_load(&clew_attachment.caller);

	return (!other || !sys_thread_exists(sys_getpid(), (int)other)) &&
	       atomic_compare_exchange_strong(&clew_attachment.caller, &other,
					      own);
}

int attach_begin_call(void)
{
	struct text text;

	own_place_begin_thread();
	if (attach_try_call())
		return 1;
	text = text_in(clew_attachment.why, sizeof(clew_attachment.why));
	text_string(&text, "an earlier call into libclew.so has not returned");
	clew_attachment.result = -EAGAIN;
	return 0;
}

void attach_end_call(void)
{
	/*
	 * The call took time, and the thread has blocked all signals. A system
	 * call that restarts afterwards must not be interrupted by clew.
	 */
	ticks_drop_pending(ticks_own_signals());
	atomic_store(&clew_attachment.caller, 0);
}

static int refuse(const char *why, int err)
{
	struct text text =
		text_in(clew_attachment.why, sizeof(clew_attachment.why));

	text_string(&text, why);
	clew_attachment.result = err;
	return err;
}

static int refuse_explained(const char *why, int err)
{
	struct text text =
		text_in(clew_attachment.why, sizeof(clew_attachment.why));

	text_string(&text, why);
	obstacle_explain(&text, err);
	clew_attachment.result = err;
	return err;
}

void attach_begin_in_blocks(void)
{
	if (!own_place_begin(&clew_attachment.variables,
			     &clew_attachment.variable_bytes))
		clew_attachment.variables_at = CONTROL_BLOCK_ROOM_AT;
}

static int threads_have_variables(void)
{
	return !own_place_is_in_blocks() || clew_attachment.variables_at;
}

/* ---- Reading files ---- */

/*
 * Reads the first `room` bytes of a file of proc_open_own(). Returns the number
 * of bytes, or -errno.
 */
static long read_file(const char *name, char *out, uint64_t room)
{
	int fd = proc_open_own(name, O_RDONLY);
	uint64_t bytes = 0;
	long got = 1;

	if (fd < 0)
		return fd;
	while (got > 0 && bytes < room) {
		got = sys_read(fd, out + bytes, room - bytes);
		bytes += got > 0 ? (uint64_t)got : 0;
	}
	sys_close(fd);
	return got < 0 ? got : (long)bytes;
}

static void learn_machine(void)
{
	ElfW(auxv_t) vector[64];
	long bytes = read_file("auxv", (char *)vector, sizeof(vector));

	for (long i = 0; i < bytes / (long)sizeof(*vector); i++)
		if (vector[i].a_type == AT_HWCAP2)
			thread_pointer_learn(vector[i].a_un.a_val);
}

static void record_arguments(struct part *part)
{
	char arguments[4096];
	const long bytes = read_file("cmdline", arguments, sizeof(arguments));
	struct chunk chunk;

	if (bytes <= 0 ||
	    part_alloc(part, WIRE_PROCESS, 0, (uint64_t)bytes, &chunk))
		return;
	arguments[bytes - 1] = '\0';
	memcpy(chunk_payload(&chunk), arguments, (size_t)bytes);
	atomic_store_explicit(&chunk.head->used, (uint64_t)bytes,
			      memory_order_release);
}

/* ---- Preparation ---- */

static int prepare_process(struct cold *cold)
{
	static int is_done;
	const void *stack_end = lookup_other("__libc_stack_end");
	int err;

	if (is_done)
		return 0;
	if (stack_end)
		rt.first_stack_end = *(const uint64_t *)stack_end;
	err = shadow_reserve();
	if (!err)
		err = thread_template_find();
	if (!err)
		err = process_watch_forks();
	is_done = !err;
	return err ? refuse_explained("clew cannot allocate memory in it", err)
		   : 0;
}

static int watch_loader(struct cold *cold)
{
	static int is_watched;

	if (is_watched)
		return 0;
	journal_keep(1);
	/* If this fails, modules that are loaded later are not hooked. */
	is_watched = !loader_watch(cold);
	journal_keep(0);
	return 0;
}

/*
 * Hooks further modules, for one slice. Returns 0 when all are hooked,
 * -EINPROGRESS while modules remain, or another -errno, with the reason in
 * clew_attachment.why.
 */
static int hook_all(struct cold *cold)
{
	const char *missing;
	int err = hook_slice(cold, &clew_attachment.modules);

	if (err == -EINPROGRESS)
		return err;
	if (err == -EAGAIN)
		return refuse("it is loading modules", err);
	if (err)
		return refuse_explained("clew cannot hook its functions", err);
	missing = entries_missing();
	if (!missing)
		missing = agent_entries_missing(1);
	if (missing) {
		struct text text = text_in(clew_attachment.why,
					   sizeof(clew_attachment.why));

		text_string(&text, "libclew.so cannot interpose ");
		text_string(&text, missing);
		text_string(&text, "()");
		clew_attachment.result = -ENOTSUP;
		return -ENOTSUP;
	}
	watch_loader(cold);
	return 0;
}

static int refuse_recording(int err)
{
	if (err == -EAGAIN)
		return refuse("it cannot write a recording there: it cannot "
			      "start a thread; raise its limit of processes "
			      "(prlimit --nproc)",
			      /* The caller would retry after -EAGAIN. */
			      -EPERM);
	return refuse_explained("it cannot write a recording there", err);
}

static int begin_agent(const char *agent)
{
	const int err = agent_entries_begin(agent);

	switch (err) {
	case 0:
		return 0;
	case -ENOENT:
		return refuse("the agent library is not loaded", err);
	default:
		return refuse("it has loaded an agent library of another "
			      "version of clew; restart the process",
			      err);
	}
}

/*
 * Begins a session. The memory of a former session for stubs is reused, even if
 * its configuration differs.
 */
static int begin_session(const char *dir)
{
	struct cold *former = rt.cold, *cold;
	int err;

	if (!begin_is_possible(dir))
		return refuse("it runs in an emulator (such as qemu-user), "
			      "which clew does not support",
			      -ENOTSUP);
	if (former && !former->is_entered)
		release_unused(former);
	call_values_forget_probes();
	trace_forget_functions();
	agent_values_begin_again();
	agent_marks_begin_again();
	*clew_attachment.why = '\0';
	err = begin_part(dir, clew_attachment.why, sizeof(clew_attachment.why),
			 &cold);
	if (err)
		return refuse_recording(err);
	release_former(former);
	err = *clew_attachment.why ? -EINVAL : 0;
	if (!err)
		err = begin_check_machine(clew_attachment.why,
					  sizeof(clew_attachment.why));
	if (err) {
		clew_attachment.result = err;
		return err;
	}
	record_arguments(&cold->recorder.part);
	journal_forget_hooks();
	shared_texts_forget();
	layers_forget_numbers();
	entries_begin_again();
	err = prepare_process(cold);
	return err ? err : begin_agent(cold->config.agent);
}

/* Returns the size of the process's locked memory. */
static uint64_t locked_kb(void)
{
	struct proc_line locked = { .name = "VmLck", .base = 10 };

	return proc_status(0, &locked, 1) ? 0 : locked.value;
}

/*
 * Returns whether the program has called mlockall(MCL_FUTURE). The kernel then
 * allocates memory for every new mapping at once, even for address space that
 * clew only reserves; with MCL_ONFAULT it does not. Where a filter forbids
 * mincore(), locked memory counts as allocated.
 */
static int is_new_memory_filled(void)
{
	const int may_ask = !runtime_avoids(SYS_mincore);
	const uint64_t before = may_ask ? 0 : locked_kb();
	void *page = sys_map_private(PAGE_BYTES);
	unsigned char is_there = 0;

	if (sys_failed(page))
		return 0;
	if (may_ask)
		sys_call(SYS_mincore, (long)page, PAGE_BYTES, (long)&is_there,
			 0, 0, 0);
	else
		is_there = locked_kb() > before;
	sys_munmap(page, PAGE_BYTES);
	return is_there & 1;
}

/*
 * Maps the array in which the controller stores the frames of all threads. If
 * this fails, functions that are already active are not recorded.
 */
static void make_room_for_frames(void)
{
	void *at;

	if (clew_attachment.frames)
		return;
	/* Only the pages that are used take memory. */
	at = sys_map_private(WIRE_ATTACH_FRAMES_MAX *
			     sizeof(struct wire_frame));
	if (sys_failed(at))
		return;
	clew_attachment.frames = (uintptr_t)at;
	clew_attachment.frame_max = WIRE_ATTACH_FRAMES_MAX;
}

void attach_free_frames(void)
{
	if (clew_attachment.frames)
		sys_munmap((void *)clew_attachment.frames,
			   clew_attachment.frame_max *
				   sizeof(struct wire_frame));
	clew_attachment.frames = clew_attachment.frame_max = 0;
}

/*
 * Abandons the preparation with an error. If the recording's file exists
 * already, the reason is stored there.
 */
static int give_up(int err)
{
	if (rt.header)
		part_disable(&rt.recorder->part, clew_attachment.why);
	return err;
}

static int find_next(struct dl_phdr_info *info, size_t size, void *context)
{
	next_find();
	return 1;
}

/*
 * Looks up the libc functions that clew's wrappers call. The loader's list is
 * locked meanwhile, because the lookup of a missing function searches all
 * modules, and another thread may be unloading one.
 */
static void find_functions(void)
{
	int (*const iterate)(int (*)(struct dl_phdr_info *, size_t, void *),
			     void *) =
		(int (*)(int (*)(struct dl_phdr_info *, size_t, void *),
			 void *))lookup_other("dl_iterate_phdr");

	if (iterate)
		iterate(find_next, NULL);
	else
		next_find();
}

static int begin_preparing(const char *dir)
{
	const int is_first = !rt.is_late;
	int err;

	atomic_store(&clew_attachment.finish_wish, 0);
	if (!threads_have_variables())
		return refuse("its C library stores thread-local variables in "
			      "a layout that clew does not support",
			      -ENOTSUP);
	rt.avoided = clew_attachment.avoided_calls & WIRE_AVOIDS_ALL;
	if (is_new_memory_filled())
		return refuse("it locks all memory that it maps (mlockall with "
			      "MCL_FUTURE)",
			      -EPERM);
	if (rt.avoided & WIRE_AVOIDS(mincore) && !shadowed_has_pagemap())
		return refuse("its seccomp filter forbids the system call "
			      "mincore, and it cannot read its pagemap",
			      -EPERM);
	rt.is_late = 1;
	process_is_own(1);
	if (is_first) {
		find_functions();
		learn_machine();
		begin_learn_starts();
	}
	if (journal_begin())
		return refuse_explained("clew cannot allocate memory in it",
					-ENOMEM);
	journal_set_deferring(1);
	records_begin_again();
	makers_begin_again();
	err = begin_session(dir);
	return err ? give_up(err) : 0;
}

static int go_on_preparing(void)
{
	const int err = hook_all(rt.cold);

	if (err == -EAGAIN || (err && hook_slices_are_left()))
		return err;
	if (err)
		return give_up(err);
	prelinking_share_texts(rt.cold);
	if (earlier_code_share(&rt.cold->pads))
		generators_foresee();
	makers_note_earlier();
	begin_time(rt.cold);
	trap_recheck();
	/* Live patching needs the handler. */
	session.has_trap = trap_install() == 0;
	budget_start();
	return 0;
}

/*
 * In a forked child, drops a preparation that its parent has begun: the modules
 * to hook and the part belong to the parent.
 */
static void forget_parents(void)
{
	if (!hook_slices_are_left() || process_is_own(0))
		return;
	hook_slices_forget();
	clew_attachment.state = WIRE_ATTACH_NONE;
}

int attach_end_preparing(void)
{
	int err;

	forget_parents();
	if (!hook_slices_are_left())
		return 0;
	err = hook_slice(rt.cold, &clew_attachment.modules);
	if (hook_slices_are_left())
		return -EAGAIN;
	return err ? give_up(err) : 0;
}

/* Stores a message about a function that the agent could not replace. */
static void note_missing(void)
{
	const char *missing = agent_entries_missing(0);
	struct text text =
		text_in(clew_attachment.why, sizeof(clew_attachment.why));

	if (!missing)
		return;
	text_string(&text, missing);
	text_string(&text, "() cannot be replaced, so the agent library does "
			   "not count its calls");
}

static void report_prepared(void)
{
	note_missing();
	attach_report_texts();
	make_room_for_frames();
	clew_attachment.runtimes =
		layers_are_there() ? WIRE_RUNTIMES_FOUND : WIRE_RUNTIMES_NONE;
	clew_attachment.state = WIRE_ATTACH_PREPARED;
	clew_attachment.result = 0;
}

/*
 * Begins or continues the preparation, or repeats the hooking after the loader
 * has changed its list.
 */
static int prepare(const char *dir, uint64_t controller)
{
	struct text text;
	int err;

	if (clew_attachment.state == WIRE_ATTACH_PREPARED)
		return hook_all(rt.cold);
	if (clew_attachment.state == WIRE_ATTACH_PREPARING)
		return go_on_preparing();
	err = begin_preparing(dir);
	if (err)
		return err;
	text = text_in(clew_attachment.dir, sizeof(clew_attachment.dir));
	text_string(&text, dir);
	clew_attachment.controller = (uint32_t)controller;
	clew_attachment.state = WIRE_ATTACH_PREPARING;
	return -EINPROGRESS; /* the steps above count as the first slice */
}

EXPORT void clew_attach_prepare(const char *dir, uint64_t controller)
{
	const int saved_errno = errno;
	int err;

	if (!attach_begin_call())
		return;
	forget_parents();
	err = prepare(dir, controller);
	if (!err)
		report_prepared();
	else if (err == -EINPROGRESS)
		refuse("clew has not finished hooking its functions", err);
	else if (err != -EAGAIN &&
		 clew_attachment.state == WIRE_ATTACH_PREPARING &&
		 !hook_slices_are_left())
		clew_attachment.state = WIRE_ATTACH_NONE;
	attach_end_call();
	errno = saved_errno;
}
