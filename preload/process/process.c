/* SPDX-License-Identifier: MIT */
/* See process.h. */
#include "preload/process/process.h"

#include <stdatomic.h>
#include <stddef.h>

#include "libc/libc.h"
#include "machine/address_space.h"
#include "preload/host/config.h"
#include "preload/hot/recursion.h"
#include "preload/hot/runtime.h"
#include "preload/hot/sink.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/switch.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/process/dispatch.h"
#include "preload/record/inheritance.h"
#include "preload/record/numbers.h"
#include "preload/record/recorder.h"
#include "preload/record/stress.h"
#include "preload/record/tables.h"
#include "preload/stack/callers.h"
#include "preload/stack/sharing.h"
#include "preload/sys/chained.h"
#include "preload/sys/copy_bytes.h"
#include "preload/time/events.h"
#include "preload/time/samples.h"
#include "preload/time/sampling.h"
#include "preload/time/watch.h"

static int copy_chunk(void *context, const struct chunk *chunk)
{
	struct chunk copy;

	if (!chunk->head->used)
		return 0; /* the parent was filling it */
	return part_copy_chunk(context, chunk, &copy);
}

/* Excludes modules that the parent has loaded since the fork. */
static int is_known(const struct wire_chunk *chunk)
{
	const struct wire_module *module = (const void *)(chunk + 1);

	return chunk->kind != WIRE_MODULE || !module->function_count ||
	       numbers_find(module->first_function);
}

static int copy_if_known(void *context, const struct chunk *chunk)
{
	return is_known(chunk->head) ? copy_chunk(context, chunk) : 0;
}

/* Copies a part's own chunks and those that it has inherited. */
static int copy_all(struct part *to, const struct part *from,
		    enum wire_chunk_kind kind)
{
	int err = inheritance_each_chunk(from, kind, copy_if_known, to);

	return err ? err : part_each_chunk(from, kind, copy_if_known, to);
}

/* Copies the list of functions whose hooks --budget has removed at present. */
static int copy_left_out(void *context, const struct chunk *chunk)
{
	const struct wire_left_out *items = chunk_payload(chunk);
	const uint64_t count = chunk->head->used / sizeof(*items);
	const uint64_t now_ns = sys_clock_ns(CLOCK_REALTIME);
	struct wire_left_out *to;
	struct chunk copy;
	uint64_t copied = 0;
	int err;

	err = part_alloc(context, WIRE_LEFT_OUT, 0, count * sizeof(*items),
			 &copy);
	if (err)
		return err;
	to = chunk_payload(&copy);
	for (uint64_t i = 0; i < count; i++) {
		if (!atomic_load(&items[i].since_ns))
			continue;
		to[copied].function = items[i].function;
		to[copied].times = 1;
		to[copied].per_s = items[i].per_s;
		to[copied].first_ns = now_ns;
		to[copied++].since_ns = now_ns;
	}
	atomic_store_explicit(&copy.head->used, copied * sizeof(*items),
			      memory_order_release);
	return 0;
}

/* Sets the record of a module to the one in this process's part, or to none. */
static int place_module(void *is_there, const struct chunk *chunk)
{
	struct wire_module *module = chunk_payload(chunk);

	if (is_there) /* the parent may have unloaded it since */
		atomic_store(&module->unloaded_ns, numbers_unloaded_ns(module));
	numbers_set_module(module->first_function, is_there ? module : NULL);
	return 0;
}

/*
 * Copies decisions made before the fork, which also hold for the child. Returns
 * 0 or -errno.
 */
static int copy_decisions(struct part *to, const struct part *from)
{
	static const enum wire_chunk_kind kinds[] = {
		WIRE_RULES,         WIRE_PROBES,       WIRE_PROBE_PLACES,
		WIRE_PROBE_ACTIONS, WIRE_PROBE_FIELDS, WIRE_BINDINGS,
	};
	int err = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && !err; i++)
		err = part_each_chunk(from, kinds[i], copy_chunk, to);
	if (!err)
		err = part_each_chunk(from, WIRE_LEFT_OUT, copy_left_out, to);
	return err ? err
		   : function_names_after_fork(&rt.recorder->names, to, from);
}

/* Copies all chunks and makes modules use the copies. Returns 0 or -errno. */
static int copy_chunks(struct part *to, const struct part *from)
{
	int err = copy_all(to, from, WIRE_PROCESS);

	if (!err)
		err = copy_all(to, from, WIRE_MODULE);
	if (!err)
		err = copy_decisions(to, from);
	if (!err)
		part_each_chunk(to, WIRE_MODULE, place_module, to);
	return err;
}

/*
 * Lets the child's part refer to the records of modules in the parent's part,
 * if possible; otherwise copies them.
 */
static int inherit_chunks(struct part *to, const struct part *from)
{
	const int err = inheritance_take(to, from, is_known);

	if (err == -ENOTSUP)
		return copy_chunks(to, from);
	return err ? err : copy_decisions(to, from);
}

/*
 * Creates the part of a forked child. If children are not recorded, the child
 * counts in private memory. If the child cannot create a file or has no room
 * for the names of its functions (another user or root directory, a full disk),
 * its calls are counted as lost in the part of an ancestor.
 */
static void create_part(struct part *part, const struct part *parent)
{
	const int is_wanted = !rt.config->no_children;
	int err = part_create(part, is_wanted ? rt.config->dir : NULL);

	if (!err) {
		err = inherit_chunks(part, parent);
		if (err)
			part_discard(part);
	}
	if (err) {
		part_each_chunk(parent, WIRE_MODULE, place_module, NULL);
		part_create_nowhere(part);
	}
	if (!is_wanted || !part->file.is_private)
		rt.losses = part->header->losses;
}

/*
 * Starts the child's part. Modules and functions keep their inherited numbers.
 */
static void start_part(struct part *part, const struct part *parent)
{
	struct wire_header *header;

	create_part(part, parent);
	header = part->header;
	header->origin = WIRE_FROM_FORK;
	header->parent_pid = parent->header->pid;
	header->parent_seq = parent->header->seq;
	header->verify_period = rt.verify_period;
	header->max_contexts = rt.max_contexts;
	recursion_inherit();
	header->folds_recursion = parent->header->folds_recursion;
	header->fold_beyond = parent->header->fold_beyond;
	part_limit(part, rt.config->max_bytes);
	samples_describe(header, parent->header->time, parent->header->rate_hz);
	header->forked_tsc = rt.fork_tsc;
	rt.fork_tsc = 0;
	header->budget = parent->header->budget;
	header->budget_call_ps = parent->header->budget_call_ps;
	header->cost_self_ticks = parent->header->cost_self_ticks;
	header->cost_caller_ticks = parent->header->cost_caller_ticks;
	rt.header = header;
}

static int is_off(void)
{
	return rt.header->state == WIRE_DISABLED ||
	       (rt.is_late && rt.header->state != WIRE_RUNNING);
}

/*
 * Returns 0 if time is not recorded, because the program may then have disabled
 * the time stamp counter.
 */
static uint64_t stamp_if_timed(void)
{
	return rt.header->time == WIRE_TIME_NONE ? 0 : stamp_counter();
}

/*
 * The signal mask from before the fork. before_fork() acquires the lock of code
 * changes, so that no child inherits half-written code, except in an attached
 * process.
 *
 * With musl, before_fork() only blocks signals. fork() then waits for the
 * loader's lock, and a thread that has this lock, because it loads a module,
 * waits for the lock of code changes.
 */
static uint64_t signals_at_fork;

static void await_patches(uint64_t *signals)
{
	if (libc_is_musl())
		sys_block_signals(signals);
	else
		lock_acquire(rt.code_lock, signals);
}

static void before_fork(void)
{
	uint64_t signals;

	if (is_off())
		return;
	/*
	 * In an attached process clew's handlers are registered last, so this
	 * one runs first.
	 */
	if (hot.muted != HOT_IS_HEARD || rt.is_late)
		return;
	await_patches(&signals);
	signals_at_fork = signals;
	rt.is_forking = 1;
	rt.fork_tsc = stamp_if_timed();
	switch_mute(HOT_MUTED_FORK);
}

static void release_patches(void)
{
	uint64_t signals = signals_at_fork;

	if (libc_is_musl())
		sys_restore_signals(&signals);
	else
		lock_release(rt.code_lock, &signals);
}

static void after_fork_in_parent(void)
{
	if (is_off() || hot.muted != HOT_MUTED_FORK)
		return;
	if (CLEW_STRESS)
		stress_check();
	rt.is_forking = 0;
	rt.fork_tsc = 0;
	switch_unmute(HOT_IS_HEARD);
	release_patches();
}

/*
 * Marks the child's part as complete, so that every thread of the child may
 * count.
 */
static void mark_as_own(void)
{
	atomic_fetch_add(&rt.losses[WIRE_LOSS_FORK],
			 atomic_exchange(&rt.lost_meanwhile, 0));
	__atomic_store_n(rt.is_this_process, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&rt.is_forking, 0, __ATOMIC_RELEASE);
}

/*
 * Ends recording in a forked child under a system call filter, where nothing
 * can be created for the child. Its calls are counted as lost in its parent's
 * part.
 */
static void stop_recording(void)
{
	rt.is_unrecorded = 1;
	switch_begin();
	mark_as_own();
}

/*
 * Returns whether the child's thread can get its tally as late as at its first
 * call. It cannot if calls are timed or traced, if there are probes, or if the
 * watch samples threads.
 */
static int can_begin_later(const struct tally *old)
{
	return rt.sink == &sink_counting && !rt.config->probes &&
	       rt.header->time != WIRE_TIME_WALL && callers_can_wait(old);
}

/*
 * Creates the child's recording. is_on_its_stack: the functions that were
 * active at the fork are on the present stack.
 */
static void begin_child(int is_on_its_stack)
{
	/*
	 * Static, as it is too large for the stack; the child has one thread.
	 */
	static struct part parent;
	struct recorder *recorder = rt.recorder;
	const struct tally *old = hot.tally;
	uint64_t signals;

	dispatch_forget();
	rt.sections = 0; /* of threads that do not exist here */
	lock_forget(rt.code_lock);
	chained_after_fork();
	if (runtime_is_filtered()) {
		stop_recording();
		return;
	}
	sys_block_signals(&signals);
	copy_bytes(&parent, &recorder->part, sizeof(parent));
	fill_zero(&recorder->part, sizeof(recorder->part));
	start_part(&recorder->part, &parent);
	events_forget();
	sharing_forget();
	tallies_reset_after_fork(&recorder->tallies, &recorder->part);
	if (old || !is_on_its_stack)
		rt.is_heir = is_on_its_stack && can_begin_later(old);
	if (old && !rt.is_heir)
		callers_inherit(old);
	if (old)
		tally_separate_from_parent(old);
	trace_after_fork(&recorder->trace, &recorder->part);
	inheritance_abandon_rest(&parent, rt.losses == parent.header->losses,
				 &recorder->part);
	mark_as_own();
	sampling_after_fork();
	sink_fork();
	atomic_store(&rt.header->state, WIRE_RUNNING);
	if (CLEW_STRESS)
		stress_check();
	sys_restore_signals(&signals);
}

void process_after_fork(void)
{
	begin_child(0);
}

int process_is_own(int takes_over)
{
	if (!rt.is_this_process || *rt.is_this_process)
		return 1;
	dispatch_forget();
	rt.sections = 0;
	lock_forget(rt.code_lock);
	chained_after_fork();
	events_forget();
	sharing_forget();
	watch_forget();
	if (takes_over)
		__atomic_store_n(rt.is_this_process, 1, __ATOMIC_RELEASE);
	return 0;
}

void hot_after_unseen_fork(void)
{
	const uint64_t all = ~UINT64_C(0);
	uint64_t signals;
	const int is_blocked =
		!sys_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all,
			  (long)&signals, sizeof(all), 0, 0);

	if (!*rt.is_this_process)
		process_after_fork();
	if (is_blocked)
		sys_call_anyway(SYS_rt_sigprocmask, SIG_SETMASK, (long)&signals,
				0, sizeof(signals), 0, 0);
}

static void after_fork_in_child(void)
{
	const int has_lock = hot.muted == HOT_MUTED_FORK;

	if (is_off())
		return;
	begin_child(has_lock);
	if (!has_lock)
		return;
	/* counts this thread's section */
	rt.sections += signals_at_fork < LOCK_NOT_TAKEN;
	release_patches();
}

/* Maps a page that a child finds zeroed. */
static int map_mark(void)
{
	uint32_t *mark;

	if (rt.is_this_process)
		return 0;
	mark = sys_map_private(PAGE_BYTES);
	if (sys_failed(mark))
		return -ENOMEM;
	*mark = 1; /* 0 in children if the kernel zeroes it (since 4.14) */
	sys_madvise(mark, PAGE_BYTES, MADV_WIPEONFORK);
	rt.is_this_process = mark;
	return 0;
}

int process_watch_forks(void)
{
	const int is_watching = rt.is_this_process != NULL;
	int err = map_mark();

	if (err || is_watching)
		return err;
	return -libc_watch_forks(before_fork, after_fork_in_parent,
				 after_fork_in_child);
}
