/* SPDX-License-Identifier: MIT */
/* See ticks.h. */
#include "preload/time/ticks.h"

#include <stddef.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <ucontext.h>

#include "preload/hot/runtime.h"
#include "preload/hot/stamp_counter.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/stack/callers.h"
#include "preload/sys/chained.h"
#include "preload/sys/own_code.h"
#include "preload/sys/proc.h"
#include "preload/sys/signal_frame.h"
#include "preload/sys/sys.h"
#include "preload/sys/system_call.h"
#include "preload/sys/thread_pointer.h"
#include "preload/time/cpu_timer.h"
#include "preload/time/early_timers.h"
#include "preload/time/events.h"
#include "preload/time/samples.h"
#include "preload/time/unsampled.h"

#define RT_FIRST 35 /* libc uses 32 and 33, musl 34 also */
#define RT_LAST  64
/* in the middle, because programs use the lowest and the highest first */
#define RT_PREFERRED 58
#define RT_SIGNALS   (~UINT64_C(0) << (RT_FIRST - 1))

#define DISPERSE     UINT64_C(0x9e3779b97f4a7c15) /* 2^64 / golden ratio */

static void on_tick(int signal, siginfo_t *info, void *context);

/* Written before main or when clew attaches, except the last three members. */
static struct {
	struct chained chained;
	uint64_t period_ns; /* 0 before ticks_start() and after ticks_end() */
	uint64_t tick_ns;   /* the kernel's tick; 0 if it is unknown */
	/* a random number in the value of each of clew's timers */
	uint32_t secret;
	_Atomic uint32_t is_on;
	/* the program uses the signal, so clew no longer does */
	_Atomic uint32_t is_given_up;
	/* A stack of the program is too small for the signal's frame. */
	uint32_t has_no_room;
} ticks = { .chained = { .place = CHAINED_TICKS,
			 .handler = on_tick,
			 .mask = ~UINT64_C(0) } };

/* ---- Taking a sample ---- */

/*
 * Returns whether the instruction before pc is a system call: the thread was
 * then probably in the kernel.
 */
static int is_behind_syscall(uint64_t pc)
{
	uint8_t code[SYSTEM_CALL_BYTES];

	return !sys_read_memory(pc - sizeof(code), code, sizeof(code)) &&
	       system_call_is(code);
}

static uint64_t microseconds(const struct timeval *time)
{
	return (uint64_t)time->tv_sec * 1000000 + (uint64_t)time->tv_usec;
}

/*
 * Returns whether the time of this sample was the kernel's: in a system call, a
 * page fault or an interrupt. The pc does not show the latter two, but the
 * kernel's account of the thread does. If the kernel counts by ticks, as most
 * do, the tick that caused this signal went into one of its two sums, so nearly
 * all of the increase since the last sample is in one sum. If it measures, or
 * ticks were missed, the result is drawn in proportion to the kernel's part,
 * which is right on average.
 */
static int was_in_kernel(struct tally *tally, uint64_t pc)
{
	struct rusage usage;
	uint64_t user, system, all, switches;

	if (sys_call(SYS_getrusage, RUSAGE_THREAD, (long)&usage, 0, 0, 0, 0))
		return is_behind_syscall(pc);
	user = microseconds(&usage.ru_utime) - tally->ticks.user_us;
	system = microseconds(&usage.ru_stime) - tally->ticks.system_us;
	all = user + system;
	tally->ticks.user_us += user;
	tally->ticks.system_us += system;
	switches = (uint64_t)(usage.ru_nvcsw + usage.ru_nivcsw);
	events_note_use(tally, all, switches - tally->ticks.switches);
	tally->ticks.switches = switches;
	if (!all)
		return is_behind_syscall(pc);
	return stamp_counter() * DISPERSE >> 32 < (system << 32) / all;
}

/*
 * Stores the kernel's account of the calling thread: user time, system time and
 * context switches.
 */
static void begin_account(struct tally *tally)
{
	tally->ticks.user_us = tally->ticks.system_us = tally->ticks.switches =
		0;
	was_in_kernel(tally, 0);
	tally->ticks.calm_us = 0;
	unsampled_begin(tally);
}

/*
 * Returns wire_sample.where for a pc. If the kernel was working for clew's own
 * samples (is_of_sample), the time counts as clew's.
 */
static uint64_t where_is(uint64_t pc, int is_kernel, int is_of_sample)
{
	const uint64_t where = pc & WIRE_SAMPLE_PC;

	if (own_code_has(pc))
		return where | WIRE_SAMPLE_CLEW;
	if (!is_kernel)
		return where;
	return where | WIRE_SAMPLE_KERNEL |
	       (is_of_sample ? WIRE_SAMPLE_CLEW : 0);
}

/*
 * Returns the value that the signal of a timer carries. It contains the number
 * of the tally, and the secret that shows that the timer is clew's.
 */
static uint64_t timer_value(uint32_t number)
{
	return (uint64_t)ticks.secret << 32 | number;
}

/*
 * Returns whether one of clew's timers has sent the signal. A process that may
 * send signals can pretend to be a timer and choose any value. Without the
 * secret, the signal is taken to be the program's. A sender that knows the
 * secret (/proc/PID/timers may show it) can only cause a sample of the
 * receiving thread.
 */
static int is_tick(const siginfo_t *info)
{
	const uint64_t value = (uintptr_t)info->si_value.sival_ptr;

	return info->si_code == SI_TIMER && value >> 32 == ticks.secret;
}

/*
 * Returns in how many ticks the thread was in the kernel. The timer's signal is
 * delivered at the end of a system call, so these are all ticks since the last
 * sample.
 */
static uint64_t ticks_in_kernel(uint64_t time_ns)
{
	uint64_t observations = 1;

	if (ticks.tick_ns)
		observations = (time_ns + ticks.tick_ns / 2) / ticks.tick_ns;
	return observations > UINT16_MAX ? UINT16_MAX : observations;
}

static void put_sample(struct tally *tally, uint64_t pc, uint64_t where,
		       uint64_t weight_ns)
{
	struct wire_sample *sample =
		samples_put(tally, &tally->ticks.room, hot_id_at(tally, pc),
			    where, weight_ns);
	const uint64_t observations =
		where & WIRE_SAMPLE_KERNEL ? ticks_in_kernel(weight_ns) : 1;

	if (sample)
		unsampled_note(tally, sample->id, where, weight_ns);
	if (sample && observations > 1)
		sample->weight += (observations - 1) * WIRE_WEIGHT_OBSERVATION;
}

static void take_sample(struct tally *tally, uint64_t periods,
			const ucontext_t *interrupted)
{
	const uint64_t raw_pc = signal_frame_pc(interrupted);
	const uint64_t pc = hot_program_pc(raw_pc);
	uint64_t weight_ns;
	int is_kernel, is_of_sample;

	if (tally->tid != (uint32_t)sys_gettid() ||
	    tally->hot->tally != tally ||
	    tally->hot->muted == HOT_MUTED_SHARED) {
		samples_lose(WIRE_SAMPLE_NO_TALLY, periods);
		return;
	}
	is_kernel = was_in_kernel(tally, raw_pc);
	is_of_sample = events_met_tick(tally);
	weight_ns = periods * ticks.period_ns;
	if (tally->ticks.event)
		weight_ns = unsampled_at_most(
			tally, events_settle(tally, weight_ns, is_kernel));
	else if (!runtime_is_filtered())
		weight_ns = unsampled_ns(tally);
	if (weight_ns)
		put_sample(tally, pc, where_is(pc, is_kernel, is_of_sample),
			   weight_ns);
	if (!is_kernel)
		events_begin(tally, interrupted->uc_sigmask.__val[0]);
}

/*
 * Handles the first tick of a thread that has no tally: creates one, and
 * records the thread's active functions.
 */
static void meet_early_tick(uint32_t number, uint64_t periods,
			    const ucontext_t *interrupted)
{
	const void *slot = (const void *)signal_frame_stack(interrupted);
	const struct early_timer *one = early_timers_find(number);
	uint64_t theirs;

	if (!one || !thread_pointer_take(one->thread, one->tid, &theirs)) {
		samples_lose(WIRE_SAMPLE_NO_TALLY, periods);
		return;
	}
	if (!hot.tally)
		hot_record_running(slot, hot.id);
	if (hot.tally)
		take_sample(hot.tally, periods, interrupted);
	else
		samples_lose(WIRE_SAMPLE_NO_TALLY, periods);
	thread_pointer_put_back(theirs);
}

static void meet_tick(const siginfo_t *info, const ucontext_t *interrupted)
{
	const uint32_t number = (uint32_t)(uintptr_t)info->si_value.sival_ptr;
	const uint64_t periods = 1 + (uint64_t)info->si_overrun;
	struct tally *tally = tallies_find(&rt.recorder->tallies, number);
	uint64_t theirs;

	if (number >= EARLY_TIMERS_FIRST) {
		meet_early_tick(number, periods, interrupted);
		return;
	}
	if (!tally || !thread_pointer_take(tally->hot, tally->tid, &theirs)) {
		samples_lose(WIRE_SAMPLE_NO_TALLY, periods);
		return;
	}
	take_sample(tally, periods, interrupted);
	thread_pointer_put_back(theirs);
}

/*
 * Returns whether the mask contains most real-time signals. A program that
 * blocks so many means "all signals" and not clew's in particular.
 */
static int has_rt_signals(uint64_t mask)
{
	mask &= RT_SIGNALS & ~SIGNAL_BIT(ticks.chained.signal);
	return signals_in(mask) > (RT_LAST - RT_FIRST) / 2;
}

/*
 * Handles a signal that was not sent by clew's timers but is meant for the
 * program.
 */
static void pass_on(int signal, siginfo_t *info, ucontext_t *context)
{
	const int is_blocked = has_rt_signals(context->uc_sigmask.__val[0]);
	struct kernel_action theirs;

	/*
	 * The program has probably blocked all signals in order to wait for
	 * them. The signal is sent again while it is blocked, so the program
	 * receives it.
	 */
	if (is_blocked) {
		ticks_yield(signal);
		context->uc_sigmask.__val[0] |= SIGNAL_BIT(signal);
		chained_send_again(signal, info);
		return;
	}
	theirs = chained_use_action(&ticks.chained);
	if (theirs.handler == (uintptr_t)SIG_IGN)
		return;
	if (chained_is_function(&theirs)) {
		chained_call(&theirs, 0, signal, info, context);
		return;
	}
	chained_set_default(signal);
	chained_send_again(signal, info);
}

static __attribute__((noinline)) void meet_signal(int signal, siginfo_t *info,
						  ucontext_t *context)
{
	if (is_tick(info))
		meet_tick(info, context);
	else
		pass_on(signal, info, context);
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
	meet_signal(signal, info, context);
	signal_frame_end(context);
}

/* ---- Timers ---- */

enum { TIMER_NONE, TIMER_ON, TIMER_STOPPED, TIMER_KEPT_OFF };

/*
 * Counts threads as having no timer. With --time=wall the watch still samples
 * them, without a pc.
 */
static void lose_threads(uint64_t count)
{
	samples_lose(rt.header->time == WIRE_TIME_WALL ? WIRE_SAMPLE_NO_PC
						       : WIRE_SAMPLE_NO_TIMER,
		     count);
}

static void delete_timer(struct tally *tally)
{
	events_end(tally);
	if (tally->ticks.timer_state == TIMER_ON)
		cpu_timer_delete(tally->ticks.timer);
	tally->ticks.timer_state = TIMER_NONE;
}

/*
 * Creates a timer for a thread. `number` is that of its tally, or of an early
 * timer (early_timers.h).
 */
static int make_timer(uint32_t tid, uint32_t number, int32_t *timer)
{
	return cpu_timer_make(tid, ticks.chained.signal, timer_value(number),
			      ticks.period_ns, timer);
}

static int start_timer(struct tally *tally)
{
	int err = make_timer(tally->tid, tally->number, &tally->ticks.timer);

	if (!err)
		tally->ticks.timer_state = TIMER_ON;
	return err;
}

void ticks_after_fork(int is_heir)
{
	early_timers_forget();
	if (is_heir && ticks.period_ns && ticks.is_on)
		early_timers_start_heir(&hot, (uint32_t)sys_gettid(),
					make_timer);
}

void ticks_begin_thread(struct tally *tally)
{
	if (!ticks.period_ns)
		return;
	/* the timer of the tally's former thread, which has exited */
	delete_timer(tally);
	begin_account(tally);
	early_timers_end_thread(tally->tid, &tally->unsampled.start_ns);
	if (!ticks.is_on || start_timer(tally))
		lose_threads(1);
}

int ticks_begin_early_threads(void)
{
	return !ticks.period_ns || !ticks.is_on ||
	       early_timers_start(ticks_own_signals(), make_timer);
}

int ticks_has_timer(const struct tally *tally)
{
	return tally->ticks.timer_state == TIMER_ON ||
	       (tally->is_early && early_timers_has(tally->tid));
}

/* Deletes all timers for the time being. Returns their number. */
static uint64_t stop_timers(void)
{
	struct tallies *tallies = &rt.recorder->tallies;
	uint64_t signals, stopped;

	if (!ticks.is_on || samples_in_vfork_child())
		return 0;
	lock_acquire(&tallies->lock, &signals);
	ticks.is_on = 0;
	stopped = early_timers_stop();
	for (struct tally *tally = tallies->first; tally; tally = tally->next) {
		if (tally->ticks.timer_state != TIMER_ON)
			continue;
		delete_timer(tally);
		tally->ticks.timer_state = TIMER_STOPPED;
		stopped++;
	}
	lock_release(&tallies->lock, &signals);
	return stopped;
}

void ticks_stop(void)
{
	lose_threads(stop_timers());
}

void ticks_give_up(void)
{
	ticks.has_no_room = 1;
	ticks_stop();
}

void ticks_end(void)
{
	stop_timers();
	ticks.period_ns = 0;
}

static void change_own_timer(uint32_t from, uint32_t to)
{
	struct tally *tally;
	uint64_t signals;

	callers_take_up();
	tally = hot.tally;
	if (!ticks.period_ns || !tally || samples_in_vfork_child())
		return;
	lock_acquire(&rt.recorder->tallies.lock, &signals);
	if (tally->ticks.timer_state == from) {
		delete_timer(tally);
		tally->ticks.timer_state = to;
		if (from == TIMER_ON)
			samples_lose(WIRE_SAMPLE_NO_TIMER, 1);
		else if (ticks.is_on && !start_timer(tally))
			samples_lose(WIRE_SAMPLE_NO_TIMER, -UINT64_C(1));
	}
	lock_release(&rt.recorder->tallies.lock, &signals);
}

void ticks_pause_thread(void)
{
	change_own_timer(TIMER_ON, TIMER_KEPT_OFF);
}

void ticks_resume_thread(void)
{
	change_own_timer(TIMER_KEPT_OFF, TIMER_STOPPED);
}

void ticks_resume(void)
{
	struct tallies *tallies = &rt.recorder->tallies;
	uint64_t signals, resumed = 0;

	if (!ticks.chained.is_installed || ticks.is_given_up ||
	    ticks.has_no_room || ticks.is_on || samples_in_vfork_child())
		return;
	lock_acquire(&tallies->lock, &signals);
	ticks.is_on = 1;
	resumed += early_timers_resume(make_timer);
	for (struct tally *tally = tallies->first; tally; tally = tally->next)
		if (tally->ticks.timer_state == TIMER_STOPPED)
			resumed += !start_timer(tally);
	lose_threads(-resumed); /* as if they had not stopped */
	lock_release(&tallies->lock, &signals);
}

/* ---- The signal ---- */

static int is_free(int signal)
{
	struct kernel_action action;

	return !signal_get_action(signal, &action) &&
	       action.handler == (uintptr_t)SIG_DFL;
}

/*
 * Returns a real-time signal that the program does not use, if possible one
 * that is not blocked; 0 if all are in use.
 */
static int choose_signal(uint64_t blocked)
{
	int chosen = 0;

	for (int i = 0; i <= RT_LAST - RT_FIRST; i++) {
		int signal = RT_PREFERRED - i;

		if (signal < RT_FIRST)
			signal += RT_LAST - RT_FIRST + 1;
		if (!is_free(signal))
			continue;
		if (!(blocked & SIGNAL_BIT(signal)))
			return signal;
		if (!chosen)
			chosen = signal;
	}
	return chosen;
}

static int take_signal(void)
{
	uint64_t blocked = 0, bit;
	int err;

	sys_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&blocked,
		 sizeof(blocked), 0, 0);
	ticks.chained.signal = choose_signal(blocked);
	if (!ticks.chained.signal)
		return -EAGAIN;
	err = chained_install(&ticks.chained);
	bit = SIGNAL_BIT(ticks.chained.signal);
	if (!err && blocked & bit)
		sys_call(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&bit, 0,
			 sizeof(bit), 0, 0);
	return err;
}

/*
 * Returns whether the kernel is at least Linux 5.10, whose CPU timers do not
 * interrupt system calls.
 */
static int is_new_kernel(void)
{
	uint32_t major = 0, minor = 0;
	struct utsname name;
	const char *at = name.release;

	if (sys_call(SYS_uname, (long)&name, 0, 0, 0, 0, 0))
		return 0;
	while (*at >= '0' && *at <= '9')
		major = major * 10 + (uint32_t)(*at++ - '0');
	if (*at == '.')
		at++;
	while (*at >= '0' && *at <= '9')
		minor = minor * 10 + (uint32_t)(*at++ - '0');
	return major > 5 || (major == 5 && minor >= 10);
}

static uint32_t draw_secret(void)
{
	uint64_t stamp = stamp_counter();
	uint32_t secret;

	if (sys_call(SYS_getrandom, (long)&secret, sizeof(secret),
		     GRND_NONBLOCK, 0, 0, 0) == sizeof(secret))
		return secret;
	return (uint32_t)(stamp * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Returns the resolution of the coarse clocks, which advance by ticks, or 0. */
static uint64_t find_tick_ns(void)
{
	struct timespec tick = { 0 };

	if (sys_call(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, (long)&tick, 0,
		     0, 0, 0) ||
	    tick.tv_sec)
		return 0;
	return (uint64_t)tick.tv_nsec;
}

void ticks_start(uint64_t period_ns)
{
	ticks.tick_ns = find_tick_ns();
	ticks.secret = draw_secret();
	ticks.period_ns = period_ns;
	chained_recheck(&ticks.chained);
	/*
	 * While clew attaches, the controller traces this process, which does
	 * not matter.
	 */
	ticks.is_on = is_new_kernel() && !ticks.has_no_room &&
		      (rt.is_late || !proc_is_traced()) &&
		      (ticks.chained.is_installed || !take_signal());
}

static int is_of_timers(int signal)
{
	return signal && ticks.chained.is_installed &&
	       signal == ticks.chained.signal;
}

uint64_t ticks_length_ns(void)
{
	return ticks.tick_ns;
}

int ticks_signal(void)
{
	return ticks.chained.signal;
}

int ticks_is_signal(int signal)
{
	return is_of_timers(signal) || events_is_signal(signal);
}

int ticks_change_action(int signal, const struct sigaction *set,
			struct sigaction *old)
{
	return events_is_signal(signal)
		       ? events_change_action(set, old)
		       : chained_change_action(&ticks.chained, set, old);
}

void ticks_yield(int signal)
{
	events_yield(signal);
	if (!is_of_timers(signal) || samples_in_vfork_child())
		return;
	ticks.is_given_up = 1;
	ticks_stop();
}

/* Returns clew's signal as a bit, or 0 if clew uses none. */
static uint64_t own_bit(void)
{
	return ticks.chained.is_installed && !ticks.is_given_up
		       ? SIGNAL_BIT(ticks.chained.signal)
		       : 0;
}

void ticks_drop_pending(uint64_t signals)
{
	const struct timespec no_time = { 0 };
	siginfo_t info;

	while (signals &&
	       sys_call(SYS_rt_sigtimedwait, (long)&signals, (long)&info,
			(long)&no_time, sizeof(signals), 0, 0) > 0) {
		if (is_tick(&info) || events_drop(&info))
			continue;
		chained_send_again(info.si_signo, &info);
		signals &= ~SIGNAL_BIT(info.si_signo);
	}
}

uint64_t ticks_own_signals(void)
{
	return own_bit() | events_own_signal();
}

uint64_t ticks_kept_from(uint64_t action_flags)
{
	return action_flags & SA_ONSTACK ? ticks_own_signals() : 0;
}

uint64_t ticks_take_out(uint64_t mask)
{
	const uint64_t bit = own_bit();

	mask = events_take_out(mask);
	if (!(mask & bit))
		return mask;
	if (has_rt_signals(mask))
		return mask & ~bit;
	ticks_yield(ticks.chained.signal);
	return mask;
}

uint64_t ticks_put_back(uint64_t mask)
{
	mask = events_put_back(mask);
	return has_rt_signals(mask) ? mask | own_bit() : mask;
}
