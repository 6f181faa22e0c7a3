/* SPDX-License-Identifier: MIT */
/* See begin.h. */
#include "preload/session/begin.h"

#include <errno.h>
#include <ucontext.h>

#include "preload/budget/budget.h"
#include "preload/host/machine.h"
#include "preload/host/next.h"
#include "preload/host/sanitizers.h"
#include "preload/host/unrecorded.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/tails.h"
#include "preload/probe/probe_actions.h"
#include "preload/process/filter.h"
#include "preload/record/memory_bound.h"
#include "preload/record/numbers.h"
#include "preload/record/stress.h"
#include "preload/stack/generated_callers.h"
#include "preload/stack/starts.h"
#include "preload/stack/trampolines.h"
#include "preload/stubs/calibrate.h"
#include "preload/stubs/stub_template.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/place.h"
#include "preload/sys/signal_frame.h"
#include "preload/sys/text.h"
#include "preload/time/samples.h"
#include "preload/time/sampling.h"

int begin_is_possible(const char *dir)
{
	if (!machine_is_emulated())
		return 1;
	unrecorded_note(dir,
			"it runs in an emulator (such as qemu-user), which "
			"clew does not support",
			0);
	return 0;
}

static void never_runs(void)
{
}

/*
 * Sets up a coroutine by makecontext(), which never runs, and reads from its
 * stack the address to which the coroutine's first function would return.
 */
void begin_learn_starts(void)
{
	static ucontext_t context;
	static uint64_t stack[64] __attribute__((aligned(16)));
	void (*make)(ucontext_t *, void (*)(void), int, ...);
	const uint64_t *top;

	make = (void (*)(ucontext_t *, void (*)(void), int,
			 ...))next.makecontext;
	if (!make)
		return;
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = sizeof(stack);
	make(&context, never_runs, 0);
	top = (const uint64_t *)signal_frame_stack(&context);
	if (top >= stack && top < stack + sizeof(stack) / sizeof(*stack))
		starts_learn(*top);
}

static void take_configuration(struct cold *cold)
{
	const struct config *config = &cold->config;

	rt.cold = cold;
	rt.config = config;
	rt.recorder = &cold->recorder;
	rt.windows = &cold->windows;
	rt.pads = &cold->pads;
	rt.patches = &cold->patches;
	rt.code_lock = &cold->patches.lock;
	rt.header = cold->recorder.part.header;
	rt.losses = rt.header->losses;
	rt.max_contexts = config->max_contexts;
	rt.max_contexts_cause = config->max_contexts_cause;
	rt.verify_period = config->verify_period;
	rt.fold_beyond = config->fold_beyond;
	recursion_forget();
	if (!rt.fold_beyond)
		recursion_begin();
	rt.call_ends =
		config->probes || rt.is_late ? probe_actions_call_ends : NULL;
	tails_begin(!config->no_tail_nesting && config->fold_beyond > 0);
	rt.asks_generated = (uint32_t)config->jit_callers;
	rt.header->max_contexts = config->max_contexts;
	part_limit(&cold->recorder.part, config->max_bytes);
	memory_bound_choose(config->is_bounded);
	rt.header->verify_period = config->verify_period;
	cold->recorder.tallies.part = &cold->recorder.part;
	rt.sink = &sink_counting;
	if (config->time == WIRE_TIME_EXACT)
		rt.sink = &sink_timing;
	if (cold->recorder.trace.part.header)
		rt.sink = sink_of_trace(config);
	/*
	 * With --time=wall, clew's own thread samples other threads and knows
	 * no pc by which it would recognize leaf functions (lookup/leaf_ids.h).
	 */
	rt.leaf_stub =
		config->time == WIRE_TIME_WALL ? NULL : rt.sink->leaf_stub;
	rt.exit_elsewhere_at = stub_template()->exit_elsewhere_at % STUB_BYTES;
	rt.exit_until = stub_template()->displaced_at;
	rt.stub_bytes = stub_template()->bytes;
	rt.first_block = thread_block();
}

/* Excludes the pages that lie completely inside the range from core dumps. */
static void exclude_from_cores(const volatile void *at, uint64_t bytes)
{
	const uint64_t start = ((uintptr_t)at + PAGE_BYTES - 1) & -PAGE_BYTES;
	const uint64_t end = ((uintptr_t)at + bytes) & -PAGE_BYTES;

	sys_madvise((void *)start, end - start, MADV_DONTDUMP);
}

/*
 * Excludes large tables from core files. The tables take megabytes of address
 * space, of which only a page or two are used.
 */
static void exclude_tables_from_cores(void)
{
	exclude_from_cores(hot_windows, sizeof(hot_windows));
	exclude_from_cores(number_blocks, sizeof(number_blocks));
}

/* Chooses the address range for clew's own memory, once in a process. */
static void choose_place(void)
{
	static int has_begun;

	if (!has_begun && !sanitizers_leave_no_room(0))
		place_begin();
	exclude_tables_from_cores();
	has_begun = 1;
}

/* Creates the file of packets if the configuration asks for a trace. */
static int begin_trace(struct cold *cold)
{
	const struct config *config = &cold->config;
	struct trace_file *trace = &cold->recorder.trace;

	rt.begins_unwanted = (uint32_t)config->trace_waits;
	if (!config->trace_bytes)
		return 0;
	for (const struct asked_probe *p = config->probes; p; p = p->next)
		rt.begins_unwanted |= p->action.trace == PROBE_TRACE_ON;
	trace->most_bytes = config->trace_bytes;
	trace->least_ns = config->least_ns;
	trace->stamp_ns = config->stamp_ns;
	trace->keeps = config->keeps_sites ? WIRE_KEEPS_SITES : 0;
	trace->overflow = config->overflow;
	trace->has_workers =
		config->workers > 0 || config->overflow == WIRE_OVERFLOW_WAIT;
	trace->thread_bytes = config->thread_bytes ? config->thread_bytes
						   : config->trace_bytes;
	return trace_create(trace, &cold->recorder.part);
}

/* Reuses the blocks of stubs and pads of the former session. */
static void take_over(struct cold *cold, const struct cold *former)
{
	if (!former)
		return;
	copy_bytes(&cold->windows, &former->windows, sizeof(cold->windows));
	copy_bytes(&cold->pads, &former->pads, sizeof(cold->pads));
	cold->windows.part_path = NULL;
}

int begin_part(const char *dir, char *why, size_t bytes, struct cold **made)
{
	struct cold *cold;
	int err;

	choose_place();
	cold = sys_map_private(sizeof(*cold));
	if (sys_failed(cold)) {
		unrecorded_note(dir, "clew cannot start", -ENOMEM);
		return -ENOMEM;
	}
	config_read(&cold->config, dir, &cold->kept, why, bytes);
	rt.avoided |= cold->config.avoided;
	filter_note_first();
	take_over(cold, rt.cold);
	err = part_create(&cold->recorder.part, dir);
	if (err) {
		unrecorded_note(dir, "it cannot create the recording", err);
		goto forget;
	}
	err = begin_trace(cold);
	if (err) {
		unrecorded_note(dir, "it cannot create the file of the trace",
				err);
		part_discard(&cold->recorder.part);
		goto forget;
	}
	take_configuration(cold);
	if (cold->config.jit_callers) {
		trampolines_reserve();
		generated_callers_begin();
	}
	*made = cold;
	return 0;
forget:
	arena_fini(&cold->kept);
	sys_munmap(cold, sizeof(*cold));
	return err;
}

int begin_check_machine(char *why, size_t bytes)
{
	struct text text = text_in(why, bytes);

	if (machine_has_shadow_stack()) {
		text_string(&text, "it uses a hardware shadow stack (CET), "
				   "which clew does not support");
		return -ENOTSUP;
	}
	if (rt.sink->reads_clock && !machine_has_steady_clock()) {
		text_string(
			&text,
			"--time=exact and --trace need an invariant time stamp "
			"counter, which this processor does not have");
		return -ENOTSUP;
	}
	if (rt.sink->reads_clock && rt.config->budget) {
		text_string(&text, "--budget excludes --time=exact and "
				   "--trace, which must measure every call");
		return -ENOTSUP;
	}
	return 0;
}

/*
 * Measures what timing a call costs, and stores the result in the recording;
 * zeros if it cannot be measured.
 */
static void note_time_cost(void)
{
	struct time_cost cost = { 0 };

	calibrate(&cost);
	rt.header->cost_self_ticks = cost.self;
	rt.header->cost_caller_ticks = cost.caller;
	samples_note_moment(rt.header);
}

void begin_time(const struct cold *cold)
{
	sampling_start(&cold->config);
	if (rt.sink->times_calls)
		note_time_cost();
}

void begin_end(void)
{
	sampling_note_rest();
	sink_finish();
	tallies_finish_thread();
	tallies_refresh_names(&rt.recorder->tallies);
	if (CLEW_STRESS)
		stress_check();
	budget_note_end();
	rt.header->end_ns = sys_clock_ns(CLOCK_REALTIME);
	/*
	 * A moment (two clocks read together) lets the reader convert time
	 * stamps. Samples store further moments.
	 */
	samples_note_moment(rt.header);
}
