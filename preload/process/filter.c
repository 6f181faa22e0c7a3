/* SPDX-License-Identifier: MIT */
/* See filter.h. */
#include "preload/process/filter.h"

#include <stdatomic.h>
#include <sys/prctl.h>

#include "preload/host/config.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/record/tallies.h"
#include "preload/stack/callers.h"
#include "preload/sys/proc.h"
#include "preload/sys/sys.h"
#include "preload/time/samples.h"
#include "preload/time/ticks.h"
#include "preload/time/watch.h"

/*
 * number of contexts for which room is made, and a "(folded)" for each: 4.5 MiB
 * of recording
 */
#define CONTEXTS 50000
#define PATIENCE 500 /* in milliseconds */

/*
 * Limits the number of contexts to those for which there is room now. Calls in
 * further contexts count at "(folded)".
 */
static void limit_contexts(void)
{
	const uint64_t contexts = rt.header->contexts + CONTEXTS;

	if (rt.max_contexts > contexts) {
		rt.max_contexts = contexts;
		rt.max_contexts_cause = WIRE_FOLD_FILTER;
	}
}

/*
 * Waits until no other thread is in a section with signals blocked, for a
 * limited time: a thread that was killed in a section never ends it.
 */
static void wait_for_sections(void)
{
	const struct timespec moment = { .tv_nsec = 1000000 };

	for (int i = 0; i < PATIENCE; i++) {
		if (!__atomic_load_n(&rt.sections, __ATOMIC_SEQ_CST))
			return;
		sys_call_anyway(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
}

static uint64_t first_filters; /* number of filters of filter_note_first() */

/* Returns the number of filters of the main thread; UINT64_MAX if unknown. */
static uint64_t count_filters(void)
{
	struct proc_line count = { .name = "Seccomp_filters", .base = 10 };
	struct proc_line mode = { .name = "Seccomp", .base = 10 };

	if (!proc_status(0, &count, 1)) /* since Linux 5.9 */
		return count.value;
	return !proc_status(0, &mode, 1) && !mode.value ? 0 : UINT64_MAX;
}

void filter_note_first(void)
{
	first_filters = 0;
	if (sys_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0) > 0)
		first_filters = count_filters();
}

int filter_is_new(void)
{
	const uint64_t count = count_filters();

	return count == UINT64_MAX || count != first_filters;
}

static int is_running(void)
{
	return rt.header && rt.header->state == WIRE_RUNNING &&
	       !runtime_is_filtered();
}

int filter_make_room(void)
{
	if (!is_running())
		return 0;
	callers_take_up();
	return !tallies_reserve(2 * CONTEXTS);
}

/*
 * by_children is the number of threads whose vfork children are filtered. While
 * it is greater than 0 the process counts as filtered, for the children only.
 * is_own: a thread of the process itself has requested a filter meanwhile.
 */
static _Atomic uint32_t by_children;
static _Atomic uint32_t is_own;

/*
 * Notes that a vfork child, which runs on this thread's data, has requested the
 * filter.
 */
static void note_child(void)
{
	hot.child_filters++;
	atomic_fetch_add(&by_children, 1);
}

int filter_begin(void)
{
	if (rt.header && samples_in_vfork_child())
		note_child();
	else if (atomic_load(&by_children))
		atomic_store(&is_own, 1);
	if (!is_running())
		return 0;
	if (filter_make_room())
		limit_contexts();
	ticks_stop();
	watch_give_up();
	__atomic_store_n(&rt.is_filtered, 1, __ATOMIC_SEQ_CST);
	wait_for_sections();
	return 1;
}

static void lift(void)
{
	rt.max_contexts = rt.config->max_contexts;
	rt.max_contexts_cause = rt.config->max_contexts_cause;
	__atomic_store_n(&rt.is_filtered, 0, __ATOMIC_SEQ_CST);
}

void filter_after_vfork(void)
{
	const uint32_t own = hot.child_filters;

	if (!own)
		return;
	hot.child_filters = 0;
	if (atomic_fetch_sub(&by_children, own) == own && !atomic_load(&is_own))
		lift();
}

void filter_end(int begun, int is_set)
{
	if (!begun || is_set)
		return;
	if (hot.child_filters) { /* its parent's timers have continued */
		filter_after_vfork();
		return;
	}
	lift();
	ticks_resume();
	watch_resume();
}
