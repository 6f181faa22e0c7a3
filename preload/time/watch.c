/* SPDX-License-Identifier: MIT */
/* See watch.h. */
#include "preload/time/watch.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>

#include "preload/hot/runtime.h"
#include "preload/sys/sys.h"
#include "preload/sys/task.h"
#include "preload/time/samples.h"
#include "preload/time/visits.h"

/*
 * Maximum length of strata (strata.h): WAIT_NS for threads that wait, LONG_NS
 * for all threads while observing costs too much.
 */
#define WAIT_NS UINT64_C(130000000)
#define LONG_NS UINT64_C(4000000000)

/* The time between two calls of an errand: from 0.5 ms to 1 s. */
#define ERRAND_FIRST_NS   UINT64_C(500000)
#define ERRAND_LAST_NS    UINT64_C(1000000000)

#define MIN(a, b)         ((a) < (b) ? (a) : (b))

#define NEVER_NS          (UINT64_C(1) << 62)

#define FUTEX_WAIT_BITSET 137 /* FUTEX_WAIT_BITSET_PRIVATE */
#define FUTEX_WAKE        129 /* FUTEX_WAKE_PRIVATE */

/* Messages to the watch, which waits at the futex watch.request. */
enum { REQUEST_NONE, REQUEST_NEWS, REQUEST_END };

static struct {
	struct task task;
	_Atomic uint32_t request;      /* any thread may write it */
	_Atomic uint64_t sleeps_until; /* time in ns, written by the watch */
	/* time between two observations; 0 if there are none */
	uint64_t period_ns;
	watch_job job;               /* or NULL */
	_Atomic watch_errand errand; /* or NULL */
	uint64_t errand_due_ns;
	/* Time between two calls of the errand. */
	uint64_t errand_wait_ns;
	/* When observing began: the time of tick 0 (strata.h). */
	uint64_t start_ns;
	/* number of threads that watch_give_up() has counted as not sampled */
	uint64_t given_up;
} watch;

/* ---- The budget of observing ---- */

#define WINDOW_NS   UINT64_C(64000000)
#define COST_PART   64 /* 1/64 of one processor's time: 1.6 % */
#define GROUPS_LOG2 3  /* groups of threads, if all strata are long */

struct budget {
	uint64_t begin_ns, begin_cpu_ns; /* beginning of a window */
	uint64_t cpu_ns; /* CPU time of the watch until the last check */
	uint32_t max_level;
};

/*
 * Returns by how many levels all strata must become longer, or shorter if
 * negative.
 */
static int32_t change_of(uint64_t used_ns, uint64_t allowed_ns)
{
	int32_t change = 0;

	if (used_ns < allowed_ns / 2)
		return -1;
	for (; used_ns > allowed_ns + allowed_ns / 4; used_ns /= 2)
		change++;
	return change;
}

static void balance(struct budget *budget, struct visits *visits,
		    uint64_t now_ns)
{
	const uint64_t cpu_ns = sys_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int64_t level = visits->level;

	rt.header->watch_ns += cpu_ns - budget->cpu_ns;
	budget->cpu_ns = cpu_ns;
	if (now_ns - budget->begin_ns < WINDOW_NS)
		return;
	level += change_of(cpu_ns - budget->begin_cpu_ns,
			   (now_ns - budget->begin_ns) / COST_PART);
	if (level < 0)
		level = 0;
	if (level > budget->max_level)
		level = budget->max_level;
	visits->level = (uint32_t)level;
	visits->clock.groups_log2 =
		level < GROUPS_LOG2 ? (uint32_t)level : GROUPS_LOG2;
	budget->begin_ns = now_ns;
	budget->begin_cpu_ns = cpu_ns;
}

/* ---- The thread ---- */

static uint64_t now(void)
{
	return sys_clock_ns(CLOCK_MONOTONIC);
}

/*
 * Sleeps until a time, or until a message arrives. Returns false if the futex
 * system call fails.
 */
static int sleep_until(uint64_t ns)
{
	const struct timespec at = { .tv_sec = (time_t)(ns / 1000000000),
				     .tv_nsec = (long)(ns % 1000000000) };
	long err;

	watch.sleeps_until = ns;
	err = sys_call(SYS_futex, (long)&watch.request, FUTEX_WAIT_BITSET,
		       REQUEST_NONE, (long)&at, 0, UINT32_MAX);
	watch.sleeps_until = 0;
	return !err || err == -ETIMEDOUT || err == -EAGAIN || err == -EINTR;
}

static int is_to_go_on(void)
{
	uint32_t news = REQUEST_NEWS;

	atomic_compare_exchange_strong(&watch.request, &news, REQUEST_NONE);
	return watch.request != REQUEST_END;
}

static uint32_t level_of(uint64_t ns)
{
	uint32_t level = 0;

	while (level < STRATA_LEVEL_MAX && watch.period_ns << (level + 1) <= ns)
		level++;
	return level;
}

/* Runs the job if it is due. Returns when it is due next. */
static uint64_t do_job(int has_table, uint64_t now_ns, uint64_t due_ns)
{
	if (!watch.job)
		return NEVER_NS;
	if (!has_table) {
		rt.header->budget_state = WIRE_BUDGET_KERNEL;
		return NEVER_NS;
	}
	return now_ns < due_ns ? due_ns : watch.job(now_ns);
}

/* Observes threads. Returns when the next observation is due. */
static uint64_t observe_due(struct visits *visits, struct budget *budget,
			    uint64_t now_ns)
{
	uint64_t next;

	balance(budget, visits, now_ns);
	if (!watch.period_ns)
		return NEVER_NS;
	next = visits_make(visits, now_ns);
	return next == VISITS_NONE ? NEVER_NS
				   : strata_instant_ns(&visits->clock, next);
}

/*
 * Runs the errand if it is due. Returns when it is due next. The delay grows
 * with each call, and the errand is dropped when it exceeds a limit.
 */
static uint64_t do_errand(uint64_t now_ns)
{
	const watch_errand errand = watch.errand;

	if (!errand)
		return NEVER_NS;
	if (now_ns < watch.errand_due_ns)
		return watch.errand_due_ns;
	if (errand() || watch.errand_wait_ns > ERRAND_LAST_NS) {
		watch.errand = NULL;
		return NEVER_NS;
	}
	watch.errand_due_ns = now_ns + watch.errand_wait_ns;
	watch.errand_wait_ns *= 2;
	return watch.errand_due_ns;
}

static int has_nothing_to_do(void)
{
	return !watch.period_ns && !watch.job && !watch.errand;
}

static void run(void *unused)
{
	struct visits visits = {
		.clock = { .start_ns = watch.start_ns,
			   .period_ns = watch.period_ns,
			   .seed = watch.start_ns },
		.wait_level = level_of(WAIT_NS),
	};
	struct budget budget = { .begin_ns = now(),
				 .max_level = level_of(LONG_NS) };
	uint64_t now_ns, next_ns, job_ns = 0, errand_ns;

	(void)unused;
	visits.may_ask = !task_leave_descriptors();
	sys_call(SYS_prctl, PR_SET_NAME, (long)"clew", 0, 0, 0, 0);
	while (is_to_go_on()) {
		now_ns = now();
		errand_ns = do_errand(now_ns);
		if (has_nothing_to_do())
			break;
		next_ns = observe_due(&visits, &budget, now_ns);
		job_ns = do_job(visits.may_ask, now_ns, job_ns);
		next_ns = MIN(next_ns, job_ns);
		if (!sleep_until(MIN(next_ns, errand_ns)))
			break;
	}
	task_exit();
}

static void start(void)
{
	uint64_t signals;
	int err;

	if (has_nothing_to_do() || watch.task.tid || runtime_is_filtered())
		return;
	watch.request = REQUEST_NONE;
	sys_block_signals(&signals);
	err = task_start(&watch.task, TASK_SHARES_DESCRIPTORS, run, NULL);
	sys_restore_signals(&signals);
	if (err && watch.period_ns)
		samples_lose(WIRE_SAMPLE_NO_TIMER, 1);
}

static void wake(void)
{
	sys_call(SYS_futex, (long)&watch.request, FUTEX_WAKE, 1, 0, 0, 0);
}

/* ---- Called by other files ---- */

void watch_start(uint64_t period_ns)
{
	watch.period_ns = period_ns;
	watch.start_ns = now();
	start();
}

void watch_start_job(watch_job job)
{
	const int was_on = watch_stop();

	watch.job = job;
	if (!was_on)
		watch.start_ns = now();
	start();
}

void watch_run_errand(watch_errand errand)
{
	uint32_t nothing = REQUEST_NONE;

	watch.errand_due_ns = 0;
	watch.errand_wait_ns = ERRAND_FIRST_NS;
	watch.errand = errand;
	if (!watch.task.tid)
		start();
	else if (atomic_compare_exchange_strong(&watch.request, &nothing,
						REQUEST_NEWS))
		wake();
}

void watch_forget(void)
{
	watch.errand = NULL;
	watch.task.tid = 0;
}

void watch_start_after_fork(void)
{
	watch_forget();
	watch_start(watch.period_ns);
}

void watch_end_after_fork(void)
{
	watch_forget();
	watch.period_ns = 0;
	watch.job = NULL;
}

int watch_stop(void)
{
	if (!watch.task.tid || samples_in_vfork_child())
		return 0;
	watch.request = REQUEST_END;
	wake();
	task_join(&watch.task);
	return 1;
}

void watch_end(void)
{
	watch_stop();
	watch.period_ns = 0;
	watch.job = NULL;
	watch.errand = NULL;
}

void watch_start_again(void)
{
	start();
}

void watch_meet(struct tally *tally)
{
	uint32_t nothing = REQUEST_NONE;
	uint64_t at_ns;

	if (!watch.period_ns)
		return;
	at_ns = now();
	tally->visits.attached_ns = at_ns;
	if (atomic_compare_exchange_strong(&watch.request, &nothing,
					   REQUEST_NEWS) &&
	    watch.sleeps_until > at_ns + watch.period_ns)
		wake();
}

void watch_give_up(void)
{
	if (!watch_stop())
		return;
	if (watch.job)
		rt.header->budget_state = WIRE_BUDGET_FILTER;
	watch.given_up = watch.period_ns ? visits_threads() : 0;
	samples_lose(WIRE_SAMPLE_NO_TIMER, watch.given_up);
}

void watch_resume(void)
{
	samples_lose(WIRE_SAMPLE_NO_TIMER, -watch.given_up);
	watch.given_up = 0;
	start();
}

int watch_tid(void)
{
	return watch.task.tid;
}
