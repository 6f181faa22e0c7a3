/* SPDX-License-Identifier: MIT */
/* See quiesce.h. */
#include "preload/patch/quiesce.h"

#include <stdatomic.h>
#include <stddef.h>

#include "preload/patch/pc_query.h"
#include "preload/patch/stacks.h"
#include "preload/process/dispatch.h"
#include "preload/sys/proc.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/signal_return.h"
#include "preload/sys/sys.h"
#include "preload/time/watch.h"

#define SLOT_LOG2    17
#define SLOT_COUNT   (1 << SLOT_LOG2)
#define TICK_NS      10000000
#define PAUSE_MIN_NS 20000
#define PAUSE_MAX_NS 1000000

/* The state of a thread in the present round. */
enum whereabouts {
	NOT_LOOKED_AT,
	ASKED,  /* the signal was sent */
	INSIDE, /* the thread was inside at the latest check */
	OUTSIDE,
};

/*
 * An entry of a hash table by tid. `is` contains the round and the state. An
 * entry of an earlier round counts as empty. In its signal handler the thread
 * itself replaces ASKED by INSIDE or OUTSIDE.
 */
struct asked_thread {
	uint32_t tid;
	_Atomic uint32_t is;
};

/* Allocated once and never freed, because a handler may run late. */
struct quiesce {
	const struct quiesce_places *_Atomic places;
	_Atomic uint32_t round;   /* number of the present round, modulo 2^24 */
	_Atomic uint32_t is_open; /* a round is in progress */
	int (*inspect)(struct quiesce *q, struct asked_thread *slot);
	struct pc_query query;
	int own_tid;
	uint64_t start_ticks;
	uint64_t pauses;
	/* number of threads that this pass has not found outside */
	uint32_t open;
	int open_tid;
	struct proc_text text;
	struct stacks stacks;
	struct asked_thread slots[SLOT_COUNT];
};

static struct quiesce *_Atomic the_quiesce;

static uint32_t in_round(const struct quiesce *q, enum whereabouts is)
{
	return q->round << 8 | is;
}

static int is_of_round(const struct quiesce *q, const struct asked_thread *slot)
{
	return slot->is >> 8 == q->round;
}

static enum whereabouts where_is(const struct asked_thread *slot)
{
	return slot->is & 0xff;
}

static void set_where(const struct quiesce *q, struct asked_thread *slot,
		      enum whereabouts is)
{
	slot->is = in_round(q, is);
}

/*
 * Returns the entry of a thread, or a free entry if it has none; NULL if the
 * table is full.
 */
static struct asked_thread *find_slot(struct quiesce *q, uint32_t tid)
{
	uint32_t first = tid * 0x9e3779b1 >> (32 - SLOT_LOG2);

	for (uint32_t i = 0; i < SLOT_COUNT; i++) {
		struct asked_thread *slot = &q->slots[(first + i) % SLOT_COUNT];

		if (!is_of_round(q, slot) || slot->tid == tid)
			return slot;
	}
	return NULL;
}

static struct asked_thread *take_slot(struct quiesce *q, int tid)
{
	struct asked_thread *slot = find_slot(q, (uint32_t)tid);

	if (slot && !is_of_round(q, slot)) {
		slot->tid = (uint32_t)tid;
		set_where(q, slot, NOT_LOOKED_AT);
	}
	return slot;
}

/* ---- Checking a thread ---- */

static int is_inside(const void *context, uint64_t at, uint64_t word, int is_pc)
{
	const struct quiesce_places *places = context;

	return (is_pc || places->every_word) &&
	       places->contains(places->context, word);
}

static int is_thread_inside(const struct quiesce *q, uint64_t pc, uint64_t sp)
{
	const struct quiesce_places *places = q->places;

	return is_inside(places, 0, pc, 1) ||
	       stacks_walk(&q->stacks, sp, is_inside, places);
}

/*
 * Runs in the signal handler of the queried thread. `value` contains the round
 * and the index of the entry.
 */
static void take_answer(uint64_t value, uint64_t pc, uint64_t sp)
{
	struct quiesce *q = the_quiesce;
	uint32_t asked = (uint32_t)(value >> 32) << 8 | ASKED;
	uint32_t found = (uint32_t)(value >> 32) << 8;
	struct asked_thread *slot = &q->slots[value % SLOT_COUNT];

	if (slot->tid != (uint32_t)sys_gettid() || slot->is != asked)
		return;
	found |= is_thread_inside(q, pc, sp) ? INSIDE : OUTSIDE;
	atomic_compare_exchange_strong(&slot->is, &asked, found);
}

void quiesce_report_self(uint64_t pc, uint64_t sp)
{
	struct quiesce *q = the_quiesce;
	struct asked_thread *slot;
	uint32_t is;

	if (!q || !q->is_open)
		return;
	slot = find_slot(q, (uint32_t)sys_gettid());
	if (!slot)
		return;
	is = slot->is;
	if (is_of_round(q, slot) && (is & 0xff) != OUTSIDE &&
	    !is_thread_inside(q, pc, sp))
		atomic_compare_exchange_strong(
			&slot->is, &is, (is & ~UINT32_C(0xff)) | OUTSIDE);
}

static void query_pc(struct quiesce *q, struct asked_thread *slot)
{
	uint64_t value = (uint64_t)q->round << 32 | (uint64_t)(slot - q->slots);
	int err;

	set_where(q, slot, ASKED);
	err = pc_query_send(&q->query, (int)slot->tid, value);
	if (err)
		set_where(q, slot, err == -ESRCH ? OUTSIDE : INSIDE);
}

static int has_exited(int err)
{
	return err == -ESRCH;
}

/*
 * Returns whether the thread may be waiting for a vfork child. The child may be
 * inside the places, because it uses this memory, but it is not in the list of
 * threads.
 */
static int waits_for_child(const struct proc_activity *activity)
{
	return activity->is_asleep &&
	       (system_call_is_vfork(activity->call) ||
		activity->call == SYS_clone || activity->call == SYS_clone3);
}

/*
 * Returns whether a sleeping thread is outside of the places. Its stack is
 * read, so the thread must not have run in the meantime.
 */
static int is_asleep_outside(struct quiesce *q, int tid,
			     const struct proc_activity *before)
{
	struct proc_activity after;

	return !is_thread_inside(q, before->pc, before->sp) &&
	       !proc_activity(&q->text, tid, &after) && after.is_asleep &&
	       after.switches == before->switches;
}

/*
 * Finds out whether a thread is inside the places; sends the signal of
 * pc_query.h to a running one. The state of a thread that sleeps inside stays
 * unchanged, so the caller checks it again. Returns 0 or -errno.
 */
static int find_pc(struct quiesce *q, struct asked_thread *slot)
{
	const int tid = (int)slot->tid;
	struct proc_activity activity;
	uint64_t blocked = 0;
	int err = proc_activity(&q->text, tid, &activity);

	if (!err && waits_for_child(&activity))
		return 0;
	if (!err && activity.is_asleep) {
		if (is_asleep_outside(q, tid, &activity))
			set_where(q, slot, OUTSIDE);
		return 0;
	}
	if (!err)
		err = proc_blocked_signals(tid, &blocked);
	if (has_exited(err))
		set_where(q, slot, OUTSIDE);
	else if (err)
		return err;
	else if (!dispatch_is_on() && pc_query_can_reach(&q->query, blocked))
		query_pc(q, slot);
	return 0;
}

/*
 * Checks whether a thread can take a breakpoint. A thread that blocks SIGTRAP
 * is checked again, because libc and clew block it only for short times.
 * Returns 0 or -errno.
 */
static int check_traps(struct quiesce *q, struct asked_thread *slot)
{
	const int tid = (int)slot->tid;
	struct proc_activity activity;
	uint64_t blocked = 0;
	int err = proc_activity(&q->text, tid, &activity);

	if (!err)
		err = proc_blocked_signals(tid, &blocked);
	if (has_exited(err) || (!err && !waits_for_child(&activity) &&
				!(blocked & SIGNAL_BIT(SIGTRAP))))
		set_where(q, slot, OUTSIDE);
	return has_exited(err) ? 0 : err;
}

/* ---- Checking all threads ---- */

/*
 * Returns whether the thread was created after this round began, so that it
 * cannot be inside, or has exited.
 */
static int was_born_since(struct quiesce *q, int tid)
{
	uint64_t ticks;
	int err = proc_start_ticks(&q->text, tid, &ticks);

	return has_exited(err) || (!err && ticks > q->start_ticks);
}

static int visit(void *context, int tid)
{
	struct quiesce *q = context;
	enum whereabouts is;
	struct asked_thread *slot;

	if (tid == q->own_tid)
		return 0;
	slot = take_slot(q, tid);
	if (!slot)
		return -ENOMEM;
	is = where_is(slot);
	if (is == OUTSIDE)
		return 0;
	if (is == NOT_LOOKED_AT && q->pauses && was_born_since(q, tid)) {
		set_where(q, slot, OUTSIDE);
		return 0;
	}
	q->open++;
	q->open_tid = tid;
	return is == ASKED ? 0 : q->inspect(q, slot);
}

/* Sleeps, each time longer than before. Returns -EBUSY at the deadline. */
static int pause_until(uint64_t deadline_ns, uint64_t *pauses)
{
	struct timespec moment = { .tv_nsec = PAUSE_MAX_NS };

	if (sys_clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
		return -EBUSY;
	if (*pauses < 6)
		moment.tv_nsec = PAUSE_MIN_NS << *pauses;
	++*pauses;
	sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	return 0;
}

/*
 * Checks all threads until a pass finds only threads that were already found
 * outside. One pass may miss a thread, because the kernel's list of threads is
 * no snapshot, but hardly two.
 */
static int visit_all(struct quiesce *q, uint64_t deadline_ns)
{
	int err;

	do {
		q->open = 0;
		err = proc_each_thread(watch_tid(), visit, q);
		if (!err && q->open)
			err = pause_until(deadline_ns, &q->pauses);
	} while (!err && q->open);
	return err;
}

static struct quiesce *take_quiesce(void)
{
	struct quiesce *q = the_quiesce;

	if (q)
		return q;
	q = sys_map_private(sizeof(*q));
	if (sys_failed(q))
		return NULL;
	the_quiesce = q;
	return q;
}

static struct quiesce *begin_round(int (*inspect)(struct quiesce *,
						  struct asked_thread *))
{
	struct quiesce *q = take_quiesce();

	if (!q)
		return NULL;
	q->round = (q->round + 1) & 0xffffff;
	q->inspect = inspect;
	q->own_tid = q->open_tid = sys_gettid();
	q->start_ticks = sys_clock_ns(CLOCK_BOOTTIME) / TICK_NS;
	q->pauses = 0;
	return q;
}

int quiesce(const struct quiesce_places *places, uint64_t deadline_ns, int *tid)
{
	struct quiesce *q = begin_round(find_pc);
	int err;

	if (!q)
		return -ENOMEM;
	q->places = places;
	err = stacks_init(&q->stacks);
	if (!err &&
	    is_thread_inside(q, 0, (uintptr_t)__builtin_frame_address(0)))
		err = -EBUSY;
	if (!err)
		err = pc_query_open(&q->query, take_answer);
	if (!err) {
		q->is_open = 1;
		err = visit_all(q, deadline_ns);
		q->is_open = 0;
		pc_query_close(&q->query);
	}
	*tid = q->open_tid;
	return err;
}

int quiesce_can_trap(uint64_t deadline_ns, int *tid)
{
	struct quiesce *q = begin_round(check_traps);
	int err;

	if (!q)
		return -ENOMEM;
	err = dispatch_is_on() ? -EBUSY : visit_all(q, deadline_ns);
	*tid = q->open_tid;
	return err;
}
