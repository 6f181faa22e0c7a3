/* SPDX-License-Identifier: MIT */
#include "preload/watch.h"

#include <stddef.h>
#include <sys/prctl.h>

#include "preload/cold.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/proc.h"
#include "preload/samples.h"
#include "preload/sys.h"
#include "preload/task.h"

#define BATCH     128 /* threads that are read by one system call */
#define STATES    2   /* to be read in a visit: 9 us each, by /proc */
#define CLOCKS    8   /* to be read twice: 0.4 us each */
#define LEAVE_OUT 3   /* visits, of a thread that waits */
#define MERGED_NS UINT64_C(1000000000)

/* What is read of a thread: the members of struct hot_thread up to `tally`. */
#define READ_BYTES        (offsetof(struct hot_thread, tally) + sizeof(void *))

#define FUTEX_WAIT_BITSET 137 /* FUTEX_WAIT_BITSET_PRIVATE */
#define FUTEX_WAKE        129 /* FUTEX_WAKE_PRIVATE */

static struct {
	struct task task;
	_Atomic uint32_t is_off; /* it is to end; a futex */
	uint64_t period_ns;      /* 0: never started */
	int has_descriptors; /* a table of its own, in which to open files */
} watch;

/* ---- One visit ---- */

struct visit {
	uint64_t elapsed_ns; /* since the one before */
	uint32_t states_left, clocks_left;
	struct proc_text text;
	uint32_t count;
	struct visited {
		struct tally *tally;
		uint64_t elapsed_ns; /* that it is to account for */
		uint64_t ran_ns;     /* meanwhile */
		unsigned char hot[READ_BYTES] __attribute__((
			aligned(__alignof__(struct hot_thread))));
	} batch[BATCH];
};

/* What a thread has run so far; 0 if it has gone. */
static uint64_t cpu_ns(uint32_t tid)
{
	return sys_clock_ns((int)(~tid << 3 | 6)); /* its CPU clock's number */
}

/*
 * Read all of a batch. What cannot be read stays zero, and with it the tally
 * that the thread says it counts in.
 */
static void read_batch(struct visit *visit)
{
	struct iovec to[BATCH], from[BATCH];
	uint32_t done = 0;

	for (uint32_t i = 0; i < visit->count; i++) {
		to[i].iov_base = visit->batch[i].hot;
		from[i].iov_base = (void *)visit->batch[i].tally->hot;
		to[i].iov_len = from[i].iov_len = READ_BYTES;
	}
	while (done < visit->count) {
		long left = (long)(visit->count - done);
		long bytes = sys_call(SYS_process_vm_readv, sys_getpid(),
				      (long)(to + done), left,
				      (long)(from + done), left, 0);

		if (bytes > 0)
			done += (uint32_t)bytes / READ_BYTES;
		if (bytes <= 0 || (uint32_t)bytes % READ_BYTES ||
		    bytes / (long)READ_BYTES < left)
			done++; /* has gone */
	}
}

/* The majority of the time decides where asking would be too dear. */
static int is_running(struct visit *visit, const struct visited *one)
{
	const struct tally *tally = one->tally;

	if (one->ran_ns > one->elapsed_ns / 2)
		return 1;
	if (visit->states_left) {
		visit->states_left--;
		return proc_is_runnable(&visit->text, (int)tally->tid);
	}
	if (!one->ran_ns || !visit->clocks_left)
		return 0;
	visit->clocks_left--;
	return cpu_ns(tally->tid) > tally->seen_cpu_ns;
}

static void put_blocked(struct tally *tally, uint64_t id, uint64_t elapsed_ns)
{
	struct wire_sample *last = tally->blocked;

	if (last && last->id == id && wire_sample_ns(last) < MERGED_NS)
		last->weight += WIRE_WEIGHT_LOOK + elapsed_ns;
	else
		tally->blocked = samples_put(tally, &tally->watched, id,
					     WIRE_SAMPLE_BLOCKED, elapsed_ns);
}

static void put_sample(struct visit *visit, const struct visited *one)
{
	const struct hot_thread *thread = (const void *)one->hot;
	struct tally *tally = one->tally;

	if (thread->tally != tally || thread->muted == HOT_MUTED_SHARED) {
		samples_lose(WIRE_SAMPLE_NO_TALLY, 1);
		return;
	}
	if (!is_running(visit, one)) {
		put_blocked(tally, thread->id, one->elapsed_ns);
		return;
	}
	tally->blocked = NULL;
	samples_put(tally, &tally->watched, thread->id, 0, one->elapsed_ns);
}

static void end_batch(struct visit *visit)
{
	read_batch(visit);
	for (uint32_t i = 0; i < visit->count; i++)
		put_sample(visit, &visit->batch[i]);
	visit->count = 0;
}

/*
 * It was passed over for a while, and it has run since: the time that it did
 * not run is taken for a part of its last wait.
 */
static void settle(struct tally *tally, struct visited *one)
{
	uint64_t idle_ns = one->elapsed_ns > one->ran_ns
				   ? one->elapsed_ns - one->ran_ns
				   : 0;

	if (!tally->owed_ns || !tally->blocked)
		return;
	if (idle_ns > tally->owed_ns)
		idle_ns = tally->owed_ns;
	put_blocked(tally, tally->blocked->id, idle_ns);
	one->elapsed_ns -= idle_ns;
}

/* A thread that has not run is where it was, in the same context. */
static int has_waited(struct tally *tally, const struct visited *one)
{
	if (one->ran_ns || !tally->blocked)
		return 0;
	put_blocked(tally, tally->blocked->id, one->elapsed_ns);
	tally->visits_left_out = LEAVE_OUT;
	return 1;
}

static void visit_tally(struct visit *visit, struct tally *tally)
{
	struct visited *one = &visit->batch[visit->count];
	const uint32_t tid = tally->tid;
	uint64_t cpu;

	if (tally->seen_tid != tid) {
		tally->seen_tid = tid;
		tally->seen_cpu_ns = tally->owed_ns = 0;
		tally->visits_left_out = 0;
		tally->blocked = NULL;
	}
	one->elapsed_ns = visit->elapsed_ns + tally->owed_ns;
	if (tally->visits_left_out) {
		tally->visits_left_out--;
		tally->owed_ns = one->elapsed_ns;
		return;
	}
	cpu = cpu_ns(tid);
	if (!cpu)
		return;
	one->tally = tally;
	one->ran_ns = cpu - tally->seen_cpu_ns;
	tally->seen_cpu_ns = cpu;
	((struct hot_thread *)one->hot)->tally = NULL;
	if (!has_waited(tally, one)) {
		settle(tally, one);
		visit->count++;
	}
	tally->owed_ns = 0;
	if (visit->count == BATCH)
		end_batch(visit);
}

/* Tallies come first in the list, and stay in it. */
static void visit_all(struct visit *visit)
{
	struct tally *tally =
		__atomic_load_n(&rt.cold->tallies.first, __ATOMIC_ACQUIRE);

	for (; tally; tally = tally->next)
		visit_tally(visit, tally);
	if (visit->count)
		end_batch(visit);
}

/* ---- The thread ---- */

/* False when it is to end. */
static int sleep_until(uint64_t ns)
{
	const struct timespec at = { .tv_sec = (time_t)(ns / 1000000000),
				     .tv_nsec = (long)(ns % 1000000000) };

	while (!watch.is_off) {
		long err = sys_call(SYS_futex, (long)&watch.is_off,
				    FUTEX_WAIT_BITSET, 0, (long)&at, 0,
				    UINT32_MAX);

		if (err == -ETIMEDOUT)
			break;
		if (err && err != -EAGAIN && err != -EINTR)
			return 0;
	}
	return !watch.is_off;
}

static void run(void *unused)
{
	static struct visit visit; /* there is one thread */
	uint64_t last_ns = sys_clock_ns(CLOCK_MONOTONIC);
	uint64_t next_ns = last_ns + watch.period_ns;

	(void)unused;
	visit.count = 0; /* in a forked child, its parent may have been at it */
	watch.has_descriptors = !task_leave_descriptors();
	sys_call(SYS_prctl, PR_SET_NAME, (long)"clew", 0, 0, 0, 0);
	while (sleep_until(next_ns)) {
		uint64_t now_ns = sys_clock_ns(CLOCK_MONOTONIC);

		visit.elapsed_ns = now_ns - last_ns;
		visit.states_left = watch.has_descriptors ? STATES : 0;
		visit.clocks_left = CLOCKS;
		visit_all(&visit);
		last_ns = now_ns;
		next_ns += watch.period_ns;
		if (next_ns < now_ns)
			next_ns = now_ns + watch.period_ns;
	}
	task_exit();
}

void watch_start_again(void)
{
	uint64_t signals;
	int err;

	if (!watch.period_ns || watch.task.tid || runtime_is_filtered())
		return;
	watch.is_off = 0;
	sys_block_signals(&signals);
	err = task_start(&watch.task, TASK_SHARES_DESCRIPTORS, run, NULL);
	sys_restore_signals(&signals);
	if (err)
		samples_lose(WIRE_SAMPLE_NO_TIMER, 1);
}

void watch_start(uint64_t period_ns)
{
	watch.period_ns = period_ns;
	watch_start_again();
}

void watch_start_after_fork(void)
{
	watch.task.tid = 0;
	watch_start_again();
}

int watch_stop(void)
{
	if (!watch.task.tid || samples_are_anothers())
		return 0;
	watch.is_off = 1;
	sys_call(SYS_futex, (long)&watch.is_off, FUTEX_WAKE, 1, 0, 0, 0);
	task_join(&watch.task);
	return 1;
}

int watch_tid(void)
{
	return watch.task.tid;
}
