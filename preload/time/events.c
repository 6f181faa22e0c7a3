/* SPDX-License-Identifier: MIT */
/* See events.h. */
#include "preload/time/events.h"

#include <stddef.h>
#include <sys/prctl.h>
#include <ucontext.h>

#include "machine/address_space.h"
#include "preload/hot/runtime.h"
#include "preload/hot/thread.h"
#include "preload/hot/upcalls.h"
#include "preload/record/recorder.h"
#include "preload/sys/chained.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/own_code.h"
#include "preload/sys/perf_event.h"
#include "preload/sys/signal_frame.h"
#include "preload/sys/sys.h"
#include "preload/sys/thread_pointer.h"
#include "preload/time/samples.h"
#include "preload/time/unsampled.h"

#define SLOTS       256 /* maximum number of events at the same time */
#define PROBES      8   /* number of slots in which a thread's event may be */
#define LOCKED_PART 64  /* events lock at most 1/64 of RLIMIT_MEMLOCK */
/* a thread gets an event once its calm_us has reached this */
#define CALM_US   10000
#define SWITCH_US 500 /* each context switch subtracts this from calm_us */
#define SMOOTHING 64  /* a hit stands for its period plus 1/64 of pending_ns */
/*
 * After this many ticks in the program without a hit, the event is taken to be
 * broken.
 */
#define SILENT_TICKS 8

enum slot_state {
	SLOT_FREE,
	SLOT_TAKEN, /* the event is being opened */
	SLOT_RUNS,
	SLOT_ENDED, /* the event has ended, but a signal may still arrive */
};

/*
 * The event of one thread. Slots are taken under the lock of the tallies; the
 * handlers in the event's thread change the members without it.
 */
struct event {
	_Atomic uint32_t state;
	_Atomic uint32_t tid;
	struct perf_event source;
	/* may be unmapped unless `session` equals rt.header */
	struct tally *tally;
	const struct wire_header *session;
	/* thread-local data of the event's thread, for late signals */
	const struct hot_thread *hot;
	/*
	 * The thread's CPU time when the event began, and the sum of the times
	 * of all its samples since then.
	 */
	uint64_t began_us, sampled_ns;
	/*
	 * CPU time of the thread up to the last tick, minus the time that
	 * samples stand for. Negative if samples stand for more.
	 */
	int64_t pending_ns;
	uint32_t met_tick; /* whether a tick arrived during the last hit */
	uint32_t silent; /* number of ticks in the program since the last hit */
};

static void on_event(int signal, siginfo_t *info, void *context);

/*
 * Written before main or when clew attaches, except `slots` and the atomic
 * members.
 */
static struct {
	struct chained chained;
	struct events_ticks ticks;
	/*
	 * Why events are not used any more (enum wire_coarse); 0 while they are
	 * used.
	 */
	_Atomic uint32_t coarse;
	/*
	 * Set when something other than an event has sent SIGURG while events
	 * were in use. Masks by which threads block most signals then lack
	 * SIGURG, because clew has removed it (events_take_out()).
	 */
	_Atomic uint32_t is_awaited;
	struct event slots[SLOTS];
} events = {
	.chained = { .place = CHAINED_EVENTS,
		     .signal = SIGURG,
		     .handler = on_event,
		     .mask = ~UINT64_C(0) },
	.coarse = WIRE_COARSE_ASKED,
};

/*
 * ---- Slots, found by tid, because handlers may have no thread-local data ----
 */

static struct event *slot_of(uint32_t tid, uint32_t probe)
{
	return &events.slots[(tid + probe) % SLOTS];
}

static struct event *find_event(uint32_t tid)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct event *event = slot_of(tid, i);

		if (event->tid == tid && event->state >= SLOT_RUNS)
			return event;
	}
	return NULL;
}

static void end_event(struct event *event)
{
	perf_event_end(&event->source);
	if (event->session == rt.header)
		event->tally->ticks.event = NULL;
	event->state = SLOT_ENDED;
}

static int is_of_exited_thread(const struct event *event, int pid)
{
	return event->state == SLOT_RUNS &&
	       !sys_thread_exists(pid, (int)event->tid);
}

/*
 * Returns the maximum number of events in this process. Each event locks a page
 * of memory. All processes of a user share the limit of locked memory, so clew
 * uses only a small part of it.
 */
static uint32_t most_events(void)
{
	struct rlimit limit;

	if (sys_getrlimit(RLIMIT_MEMLOCK, &limit))
		return 0;
	limit.rlim_cur /= PAGE_BYTES * LOCKED_PART;
	return limit.rlim_cur < SLOTS ? (uint32_t)limit.rlim_cur : SLOTS;
}

/*
 * Takes a slot for a thread's event. Returns NULL if the process has its
 * maximum of events, or if all slots for this tid are in use. Ends events of
 * threads that have exited.
 */
static struct event *take_slot(struct tally *tally)
{
	const int pid = sys_getpid();
	struct event *taken = NULL;
	uint32_t others = 0;

	for (uint32_t i = 0; i < SLOTS; i++) {
		struct event *event = &events.slots[i];

		if (event->tid == tally->tid ||
		    is_of_exited_thread(event, pid)) {
			if (event->state == SLOT_RUNS)
				end_event(event);
			event->state = SLOT_FREE;
		}
		others +=
			event->state == SLOT_RUNS || event->state == SLOT_TAKEN;
	}
	if (others >= most_events())
		return NULL;
	for (uint32_t i = 0; i < PROBES && !taken; i++) {
		struct event *event = slot_of(tally->tid, i);

		if (event->state == SLOT_FREE || event->state == SLOT_ENDED)
			taken = event;
	}
	if (!taken)
		return NULL;
	taken->state = SLOT_TAKEN;
	taken->tid = tally->tid;
	taken->tally = tally;
	taken->hot = tally->hot;
	taken->session = rt.header;
	return taken;
}

/* ---- Samples ---- */

/*
 * Returns the time that the sample of a hit stands for: a period plus a part of
 * pending_ns, but at most half a period more or less, so that the sum of all
 * samples follows the thread's CPU time.
 */
static uint64_t weigh_hit(struct event *event)
{
	const int64_t period = (int64_t)rt.header->period_ns;
	int64_t more = event->pending_ns / SMOOTHING;

	if (more > period / 2)
		more = period / 2;
	if (more < -period / 2)
		more = -period / 2;
	event->pending_ns -= more;
	event->sampled_ns += (uint64_t)(period + more);
	return (uint64_t)(period + more);
}

/*
 * Called in the handler of a hit, where the ticks' signal is blocked. Returns
 * whether that signal is pending: the tick came after the hit, before another
 * instruction of the program was executed.
 */
static int is_tick_due(void)
{
	uint64_t pending = 0;

	return !sys_call(SYS_rt_sigpending, (long)&pending, sizeof(pending), 0,
			 0, 0, 0) &&
	       pending & SIGNAL_BIT(events.ticks.signal);
}

static void take_sample(struct event *event, uint64_t raw_pc)
{
	const uint64_t pc = hot_program_pc(raw_pc);
	struct tally *tally = event->tally;
	uint64_t where = pc & WIRE_SAMPLE_PC, id, weight_ns;

	event->met_tick = is_tick_due();
	event->silent = 0;
	if (tally->hot->tally != tally ||
	    tally->hot->muted == HOT_MUTED_SHARED) {
		samples_lose(WIRE_SAMPLE_NO_TALLY, 1);
		return;
	}
	if (own_code_has(pc))
		where |= WIRE_SAMPLE_CLEW;
	id = hot_id_at(tally, pc);
	weight_ns = unsampled_at_most(tally, weigh_hit(event));
	if (weight_ns &&
	    samples_put(tally, &tally->ticks.room, id, where, weight_ns))
		unsampled_note(tally, id, where, weight_ns);
}

void events_note_use(struct tally *tally, uint64_t used_us, uint64_t switches)
{
	const int64_t calm = tally->ticks.calm_us + (int64_t)used_us -
			     (int64_t)switches * SWITCH_US;

	if (calm > CALM_US)
		tally->ticks.calm_us = CALM_US;
	else
		tally->ticks.calm_us = calm < -CALM_US ? -CALM_US : calm;
}

static void go_back_to_tick(struct event *event, enum wire_coarse why)
{
	struct tallies *tallies = &rt.recorder->tallies;
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	if (event->state == SLOT_RUNS)
		end_event(event);
	lock_release(&tallies->lock, &signals);
	rt.header->coarse = why;
}

/* Ends an event that was created while its session ended. */
static void end_former(struct event *event)
{
	struct tallies *tallies = &rt.recorder->tallies;
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	if (event->state == SLOT_RUNS && event->session != rt.header)
		end_event(event);
	lock_release(&tallies->lock, &signals);
}

int events_met_tick(struct tally *tally)
{
	struct event *event = tally->ticks.event;
	const int met = event && event->met_tick;

	if (met)
		event->met_tick = 0;
	return met;
}

uint64_t events_settle(struct tally *tally, uint64_t weight_ns, int is_kernel)
{
	struct event *event = tally->ticks.event;
	const uint64_t used_us = tally->ticks.user_us + tally->ticks.system_us;

	if (is_kernel)
		event->sampled_ns += weight_ns;
	else
		event->silent++;
	event->pending_ns = (int64_t)((used_us - event->began_us) * 1000 -
				      event->sampled_ns);
	if (tally->ticks.calm_us < 0) {
		go_back_to_tick(event, WIRE_COARSE_RESTLESS);
		tally->ticks.has_asked = 0;
	} else if (event->silent >= SILENT_TICKS) {
		go_back_to_tick(event, WIRE_COARSE_SILENT);
	} else if (!is_kernel) {
		return 0;
	}
	if (is_kernel)
		return weight_ns;
	return event->pending_ns > 0 ? (uint64_t)event->pending_ns : 0;
}

/* ---- The signal ---- */

uint64_t events_own_signal(void)
{
	return events.chained.is_installed && !events.coarse
		       ? SIGNAL_BIT(SIGURG)
		       : 0;
}

/*
 * Returns whether the mask contains most of the 31 standard signals. A program
 * that blocks so many means "all signals" and not SIGURG in particular.
 */
static int has_most_signals(uint64_t mask)
{
	return signals_in(mask & (SIGNAL_BIT(32) - 1)) > 16;
}

/*
 * Sends the signal again, to be delivered after the handler has returned. If it
 * was sent to the process, it is sent to the process again, because any thread
 * may wait for it.
 */
static void send_again(int signal, siginfo_t *info)
{
	const long pid = sys_call_anyway(SYS_getpid, 0, 0, 0, 0, 0, 0);

	if (info->si_code == SI_TKILL ||
	    sys_call_anyway(SYS_rt_sigqueueinfo, pid, signal, (long)info, 0, 0,
			    0))
		chained_send_again(signal, info);
}

static void end_all(enum wire_coarse why)
{
	struct tallies *tallies = &rt.recorder->tallies;
	uint64_t signals;

	lock_acquire(&tallies->lock, &signals);
	events.coarse = why;
	for (struct event *event = events.slots; event < events.slots + SLOTS;
	     event++)
		if (event->state == SLOT_RUNS)
			end_event(event);
	lock_release(&tallies->lock, &signals);
	rt.header->coarse = why;
}

static int may_be_ended(void)
{
	return events.chained.is_installed && !events.coarse &&
	       !samples_in_vfork_child();
}

/*
 * Handles a SIGURG that no event has sent. If events are in use, clew ends
 * them, and SIGURG then belongs to the program alone. A thread that blocks most
 * signals expects SIGURG to be blocked as well, although clew has removed it
 * from the thread's mask. Therefore the handler blocks SIGURG in this thread
 * and sends it again; the thread receives it when it waits for it.
 */
static void pass_on(int signal, siginfo_t *info, ucontext_t *context)
{
	struct kernel_action theirs;

	if (may_be_ended()) {
		events.is_awaited = 1;
		end_all(WIRE_COARSE_SIGNAL);
	}
	if (events.is_awaited &&
	    has_most_signals(context->uc_sigmask.__val[0])) {
		context->uc_sigmask.__val[0] |= SIGNAL_BIT(signal);
		send_again(signal, info);
		return;
	}
	theirs = chained_use_action(&events.chained);
	if (chained_is_function(&theirs))
		chained_call(&theirs, 0, signal, info, context);
	else
		signal_set_action(signal, &theirs, NULL);
}

/*
 * Returns the tid of the calling thread. Avoids a system call if the thread
 * pointer leads to the data of a thread with an event, because the thread may
 * be using Syscall User Dispatch.
 */
static uint32_t own_tid(void)
{
	for (struct event *event = events.slots; event < events.slots + SLOTS;
	     event++)
		if (event->state >= SLOT_RUNS &&
		    thread_pointer_is_of(event->hot) && hot.tally)
			return hot.tally->tid;
	return (uint32_t)sys_call_anyway(SYS_gettid, 0, 0, 0, 0, 0, 0);
}

/*
 * Returns the calling thread's event if it has sent this signal, or NULL. The
 * descriptor does not identify the event: all events have the same descriptor
 * number, because each is opened in a descriptor table without others.
 */
static struct event *sender_of(const siginfo_t *info)
{
	struct event *event;

	if (info->si_code != POLL_IN)
		return NULL;
	event = find_event(own_tid());
	return event && info->si_fd == event->source.fd ? event : NULL;
}

/* A signal that is late: another thread may take the slot meanwhile. */
static void let_go_of(struct event *event)
{
	uint32_t ended = SLOT_ENDED;

	atomic_compare_exchange_strong(&event->state, &ended, SLOT_FREE);
}

static void meet_event(struct event *event, const ucontext_t *interrupted)
{
	if (runtime_is_filtered())
		return; /* the event's last signal, which was pending */
	if (event->state == SLOT_RUNS && event->session != rt.header)
		end_former(event);
	else if (event->state == SLOT_RUNS)
		take_sample(event, signal_frame_pc(interrupted));
	else
		let_go_of(event);
}

int events_drop(const siginfo_t *info)
{
	struct event *event = info->si_signo == SIGURG ? sender_of(info) : NULL;

	if (event)
		let_go_of(event);
	return event != NULL;
}

static __attribute__((noinline)) void meet_signal(int signal, siginfo_t *info,
						  ucontext_t *context)
{
	struct event *event = sender_of(info);
	uint64_t theirs;

	if (!event) {
		pass_on(signal, info, context);
		return;
	}
	if (!thread_pointer_take(event->hot, event->tid, &theirs))
		return;
	meet_event(event, context);
	thread_pointer_put_back(theirs);
}

static void on_event(int signal, siginfo_t *info, void *context)
{
	meet_signal(signal, info, context);
	signal_frame_end(context);
}

int events_is_signal(int signal)
{
	return signal == SIGURG && events.chained.is_installed;
}

void events_yield(int signal)
{
	if (signal != SIGURG)
		return;
	events.is_awaited = 0;
	if (may_be_ended())
		end_all(WIRE_COARSE_SIGNAL);
}

/*
 * Implements sigaction() for SIGURG. clew's handler stays installed and calls
 * the program's, but not for late signals of events. SIG_DFL and SIG_IGN are
 * also set in the kernel if no events are used, because exec inherits them.
 */
int events_change_action(const struct sigaction *set, struct sigaction *old)
{
	const int is_function =
		set && set->sa_handler != SIG_DFL && set->sa_handler != SIG_IGN;
	struct kernel_action theirs = { .handler = (uintptr_t)SIG_DFL };
	struct sigaction former;
	int err;

	if (set && (is_function || set->sa_handler == SIG_IGN))
		events_yield(SIGURG);
	err = chained_change_action(&events.chained, set, &former);
	if (err)
		return err;
	if (set && !is_function && events.coarse) {
		theirs.handler = (uintptr_t)set->sa_handler;
		signal_set_action(SIGURG, &theirs, NULL);
	}
	if (old)
		copy_bytes(old, &former, sizeof(former)); /* no memcpy() */
	return 0;
}

uint64_t events_take_out(uint64_t mask)
{
	const int is_named = (mask & SIGNAL_BIT(SIGURG)) != 0;

	if (is_named == has_most_signals(mask))
		return mask & ~events_own_signal();
	/* the mask names SIGURG in particular: it alone, or all others */
	events_yield(SIGURG);
	return mask;
}

uint64_t events_put_back(uint64_t mask)
{
	return has_most_signals(mask) ? mask | events_own_signal() : mask;
}

/* ---- Opening one ---- */

/*
 * Returns whether opening an event has failed because memory, descriptors or
 * the like were exhausted, or because the thread has exited. Another thread may
 * then succeed.
 */
static int is_for_want_of_room(int err)
{
	return err == -EMFILE || err == -ENFILE || err == -ENOMEM ||
	       err == -EAGAIN || err == -ENOSPC || err == -ESRCH;
}

static enum wire_coarse reason_of(int err)
{
	if (is_for_want_of_room(err))
		return WIRE_COARSE_ROOM;
	return err == -EACCES || err == -EPERM ? WIRE_COARSE_FORBIDDEN
					       : WIRE_COARSE_KERNEL;
}

/*
 * Stores the result of opening an event: the slot has an event, or is free
 * again. Called with the lock held.
 */
static int settle_slot(struct event *event, int err)
{
	if (err) {
		event->state = SLOT_FREE;
		return err;
	}
	event->sampled_ns = 0;
	event->pending_ns = 0;
	event->met_tick = 0;
	event->silent = 0;
	event->began_us =
		event->tally->ticks.user_us + event->tally->ticks.system_us;
	event->tally->ticks.event = event;
	event->state = SLOT_RUNS;
	if (events.coarse) /* events.coarse has been set meanwhile */
		end_event(event);
	return 0;
}

static int begin(struct tally *tally)
{
	struct tallies *tallies = &rt.recorder->tallies;
	struct event *event;
	uint64_t signals;
	int err;

	lock_acquire(&tallies->lock, &signals);
	event = take_slot(tally);
	lock_release(&tallies->lock, &signals);
	if (!event)
		return -ENOSPC;
	err = perf_event_begin(&event->source, tally->tid, rt.header->rate_hz,
			       SIGURG);
	lock_acquire(&tallies->lock, &signals);
	err = settle_slot(event, err);
	lock_release(&tallies->lock, &signals);
	return err;
}

void events_begin(struct tally *tally, uint64_t blocked)
{
	int err;

	if (tally->ticks.has_asked)
		return;
	if (events.coarse || tally->ticks.calm_us < 0)
		rt.header->coarse =
			events.coarse ? events.coarse : WIRE_COARSE_RESTLESS;
	if (events.coarse || tally->ticks.calm_us < CALM_US ||
	    blocked & SIGNAL_BIT(SIGURG))
		return;
	tally->ticks.has_asked = 1;
	err = begin(tally);
	if (!err) {
		atomic_fetch_add_explicit(&rt.header->events, 1,
					  memory_order_relaxed);
		return;
	}
	rt.header->coarse = reason_of(err);
	if (!is_for_want_of_room(err))
		/* Other threads would fail as well. */
		events.coarse = reason_of(err);
}

void events_end(struct tally *tally)
{
	if (tally->ticks.event)
		end_event(tally->ticks.event);
	tally->ticks.has_asked = 0;
}

void events_end_own(void)
{
	struct tally *tally = hot.tally;
	uint64_t signals;

	if (!tally || !tally->ticks.event || samples_in_vfork_child())
		return;
	lock_acquire(&rt.recorder->tallies.lock, &signals);
	events_end(tally);
	lock_release(&rt.recorder->tallies.lock, &signals);
}

void events_forget(void)
{
	/*
	 * Slots that are free already are not written, because a write would
	 * make the child copy the page.
	 */
	for (struct event *event = events.slots; event < events.slots + SLOTS;
	     event++)
		if (event->state != SLOT_FREE)
			event->state = SLOT_FREE;
}

/* ---- Whether events are possible ---- */

static int is_signal_free(void)
{
	struct kernel_action action;
	uint64_t blocked;

	if (rt.is_late) /* events_begin() checks each thread's mask */
		return !signal_get_action(SIGURG, &action) &&
		       (events.chained.is_installed ||
			action.handler == (uintptr_t)SIG_DFL);
	return !signal_get_action(SIGURG, &action) &&
	       action.handler == (uintptr_t)SIG_DFL &&
	       !sys_call(SYS_rt_sigprocmask, SIG_BLOCK, 0, (long)&blocked,
			 sizeof(blocked), 0, 0) &&
	       !(blocked & SIGNAL_BIT(SIGURG));
}

static int is_tick_fine(void)
{
	const uint64_t length_ns = events.ticks.length_ns;

	return length_ns && length_ns <= rt.header->period_ns;
}

static enum wire_coarse find_obstacle(void)
{
	int err;

	if (events.ticks.are_wanted || rt.header->time != WIRE_TIME_CPU)
		return WIRE_COARSE_ASKED;
	if (is_tick_fine())
		return WIRE_COARSE_ENOUGH;
	if (sys_call(SYS_prctl, PR_GET_SECCOMP, 0, 0, 0, 0, 0))
		return WIRE_COARSE_FILTER;
	if (!is_signal_free())
		return WIRE_COARSE_SIGNAL;
	err = perf_event_ask(rt.header->rate_hz);
	if (err)
		return reason_of(err);
	return chained_install(&events.chained) ? WIRE_COARSE_SIGNAL
						: WIRE_COARSE_NOT;
}

void events_start(const struct events_ticks *ticks)
{
	chained_recheck(&events.chained);
	events.ticks = *ticks;
	events.coarse = find_obstacle();
}
