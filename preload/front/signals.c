/* SPDX-License-Identifier: MIT */
/*
 * Fronts of libc's signal functions, for the signals that clew handles: SIGTRAP
 * (trap.h), the signals of its timers and events (ticks.h, events.h), those
 * that the processor raises (faults.h) and the one that the user has chosen
 * (chosen_signal.h). The program must not replace clew's handlers, so the
 * fronts keep the program's actions for these signals. The actions of other
 * signals are changed only in their masks.
 *
 * The kernel kills a thread that executes a breakpoint while SIGTRAP is
 * blocked. The fronts therefore remove SIGTRAP from every mask that goes to the
 * kernel, and report the mask that the program has set. Masks are changed from
 * the start, even before a breakpoint exists, because live.c may write one at
 * any time.
 *
 * The signals of timers and events would otherwise be pending when the program
 * waits for signals. The fronts remove such a signal from a mask that blocks
 * most signals (most real-time signals, if it is a timer's). If the program's
 * mask names the signal in particular, clew gives it up (ticks_take_out()).
 * clew itself blocks these signals during sigsuspend(), in handlers on
 * alternate stacks (ticks_kept_from()), and in waits of such handlers.
 *
 * The fronts are as safe in signal handlers as libc's functions.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include "libc/libc.h"
#include "preload/front/chosen_signal.h"
#include "preload/front/faults.h"
#include "preload/front/signals.h"
#include "preload/host/next.h"
#include "preload/hot/runtime.h"
#include "preload/patch/trap.h"
#include "preload/sys/chained.h"
#include "preload/sys/proc.h"
#include "preload/sys/signal_return.h"
#include "preload/sys/sys.h"
#include "preload/time/ticks.h"

/* Programs still use these deprecated functions. */
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

/* Signals whose handlers the program wants to run with SIGTRAP blocked. */
static _Atomic uint64_t masks_with_trap;

/*
 * Signals whose handlers run with clew's signals blocked, without the program's
 * request.
 */
static _Atomic uint64_t kept_from_ours;

static void put(_Atomic uint64_t *signals, uint64_t bit, int is_in)
{
	if (is_in)
		*signals |= bit;
	else if (*signals & bit)
		*signals &= ~bit;
}

/*
 * Returns whether clew handles its signals now. While clew detaches, the state
 * of SIGTRAP is kept until the end.
 */
static int is_on(void)
{
	return rt.header && (rt.header->state == WIRE_RUNNING ||
			     rt.header->state == WIRE_STARTING ||
			     (rt.header->state == WIRE_ENDED && rt.is_late));
}

static int has_trap(const sigset_t *set)
{
	return set && set->__val[0] & TRAP_BIT;
}

static int is_ours(int signal)
{
	return is_on() && (signal == SIGTRAP || ticks_is_signal(signal) ||
			   faults_have(signal) || chosen_signal_is(signal));
}

/* Returns the set, or a copy of it without clew's signals. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *copy)
{
	uint64_t mask;

	if (!set || !is_on())
		return set;
	mask = ticks_take_out(set->__val[0]) & ~TRAP_BIT;
	if (mask == set->__val[0])
		return set;
	copy->__val[0] = mask;
	return copy;
}

/*
 * Returns the mask that the program has set, for one that the kernel reports:
 * without clew's signals that are blocked in handlers on alternate stacks.
 */
static uint64_t as_meant(uint64_t mask)
{
	return ticks_put_back(mask & ~ticks_own_signals());
}

static int answer(int err)
{
	if (!err)
		return 0;
	errno = -err;
	return -1;
}

/* ---- Masks ---- */

/* Called after libc has changed the mask except for SIGTRAP. */
static void note_change(int how, int changes_trap)
{
	if (how == SIG_SETMASK || changes_trap)
		trap_set_blocked(changes_trap && how != SIG_UNBLOCK);
}

/*
 * Adds clew's signals to a set that the program unblocks. The thread has
 * probably left a handler that ran with these blocked: longjmp() does not
 * restore masks.
 */
static const sigset_t *with_ours(const sigset_t *set, sigset_t *copy)
{
	if (!set)
		return set;
	copy->__val[0] = set->__val[0] | ticks_own_signals();
	return copy;
}

static int change_mask(int (*change)(int, const sigset_t *, sigset_t *),
		       int how, const sigset_t *set, sigset_t *old)
{
	const int changes_trap = has_trap(set);
	sigset_t copy;
	int err;

	if (!is_on())
		return change(how, set, old);
	/*
	 * From here on SIGTRAPs that are sent to the process may have to be
	 * held.
	 */
	if (changes_trap && how != SIG_UNBLOCK && trap_install())
		return change(how, set, old);
	err = change(how,
		     how == SIG_UNBLOCK ? with_ours(set, &copy)
					: without_ours(set, &copy),
		     old);
	if (err)
		return err;
	if (old)
		old->__val[0] = as_meant(old->__val[0]);
	if (old && trap_is_blocked(old->__val[0]))
		old->__val[0] |= TRAP_BIT;
	if (set)
		note_change(how, changes_trap);
	return 0;
}

EXPORT int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(NEXT(sigprocmask), how, set, old);
}

EXPORT int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return change_mask(NEXT(pthread_sigmask), how, set, old);
}

static sigset_t set_of(uint64_t signals)
{
	return (sigset_t){ .__val = { signals } };
}

/* BSD's masks have 32 bits. */
static int change_bsd_mask(int how, int mask)
{
	sigset_t set = set_of((uint32_t)mask), old;

	return sigprocmask(how, &set, &old) ? -1 : (int)old.__val[0];
}

EXPORT int sigblock(int mask)
{
	return change_bsd_mask(SIG_BLOCK, mask);
}

EXPORT int sigsetmask(int mask)
{
	return change_bsd_mask(SIG_SETMASK, mask);
}

EXPORT int siggetmask(void)
{
	return sigblock(0);
}

/* As in sigaddset(): the signals that libc uses itself are invalid. */
static int is_of_libc(int signal)
{
	return signal == 32 || signal == 33 || (signal == 34 && libc_is_musl());
}

static int change_one(int how, int signal)
{
	sigset_t set;

	if (signal < 1 || signal > 64 || is_of_libc(signal)) {
		errno = EINVAL;
		return -1;
	}
	set = set_of(UINT64_C(1) << (signal - 1));
	return sigprocmask(how, &set, NULL);
}

EXPORT int sighold(int signal)
{
	return change_one(SIG_BLOCK, signal);
}

EXPORT int sigrelse(int signal)
{
	return change_one(SIG_UNBLOCK, signal);
}

EXPORT int pthread_attr_setsigmask_np(pthread_attr_t *attr, const sigset_t *set)
{
	sigset_t copy;

	/* New in glibc 2.32. */
	if (!NEXT(pthread_attr_setsigmask_np))
		return ENOSYS;
	return NEXT(pthread_attr_setsigmask_np)(attr, without_ours(set, &copy));
}

/* ---- Masks during a system call that waits: handlers run with them ---- */

/*
 * Returns the mask to pass to the kernel when the program waits with a mask. In
 * a handler that runs with clew's signals blocked, they stay blocked.
 */
static const sigset_t *in_wait(const sigset_t *set, sigset_t *copy)
{
	uint64_t kept;

	set = without_ours(set, copy);
	if (!set || !is_on() || !kept_from_ours)
		return set;
	kept = signal_change_bits(SIG_BLOCK, 0) & ticks_own_signals();
	copy->__val[0] = set->__val[0] | kept;
	return copy;
}

/*
 * The front of sigsuspend(). A signal of clew's would end the wait. Therefore
 * clew's signals are blocked during the wait, and delivered after it.
 */
EXPORT int sigsuspend(const sigset_t *set)
{
	sigset_t copy;

	set = without_ours(set, &copy);
	if (set && is_on()) {
		copy.__val[0] = set->__val[0] | ticks_own_signals();
		set = &copy;
	}
	return NEXT(sigsuspend)(set);
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count,
		 const struct timespec *timeout, const sigset_t *set)
{
	sigset_t copy;

	return NEXT(ppoll)(fds, count, timeout, in_wait(set, &copy));
}

/* The variant for _FORTIFY_SOURCE, which checks the size of the array. */
int __ppoll_chk(struct pollfd *fds, nfds_t count,
		const struct timespec *timeout, const sigset_t *set,
		size_t fds_bytes);

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count,
		       const struct timespec *timeout, const sigset_t *set,
		       size_t fds_bytes)
{
	sigset_t copy;

	return NEXT(__ppoll_chk)(fds, count, timeout, in_wait(set, &copy),
				 fds_bytes);
}

EXPORT int pselect(int count, fd_set *reads, fd_set *writes, fd_set *others,
		   const struct timespec *timeout, const sigset_t *set)
{
	sigset_t copy;

	return NEXT(pselect)(count, reads, writes, others, timeout,
			     in_wait(set, &copy));
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int count,
		       int timeout_ms, const sigset_t *set)
{
	sigset_t copy;

	return NEXT(epoll_pwait)(fd, events, count, timeout_ms,
				 in_wait(set, &copy));
}

EXPORT int epoll_pwait2(int fd, struct epoll_event *events, int count,
			const struct timespec *timeout, const sigset_t *set)
{
	sigset_t copy;

	/* New in glibc 2.35. */
	if (!NEXT(epoll_pwait2)) {
		errno = ENOSYS;
		return -1;
	}
	return NEXT(epoll_pwait2)(fd, events, count, timeout,
				  in_wait(set, &copy));
}

/* ---- Actions ---- */

typedef int (*sigaction_function)(int signal, const struct sigaction *set,
				  struct sigaction *old);

static int change_action_of(sigaction_function change, int signal,
			    const struct sigaction *set, struct sigaction *old)
{
	const uint64_t bit = UINT64_C(1) << ((unsigned int)(signal - 1) & 63);
	const int wants_trap = set && has_trap(&set->sa_mask);
	struct sigaction changed;
	uint64_t had_trap, keeps_off = 0;
	int err;

	if (signal == SIGTRAP)
		return answer(trap_change_action(set, old));
	if (ticks_is_signal(signal))
		return answer(ticks_change_action(signal, set, old));
	if (chosen_signal_is(signal))
		return answer(chosen_signal_change_action(set, old));
	if (faults_have(signal))
		return answer(faults_change_action(signal, set, old));
	if (set) {
		changed = *set;
		without_ours(&set->sa_mask, &changed.sa_mask);
		keeps_off = ticks_kept_from((uint64_t)set->sa_flags);
		changed.sa_mask.__val[0] |= keeps_off;
		set = &changed;
	}
	had_trap = masks_with_trap & bit;
	err = change(signal, set, old);
	if (err)
		return err;
	if (old)
		old->sa_mask.__val[0] = as_meant(old->sa_mask.__val[0]);
	if (old && had_trap)
		old->sa_mask.__val[0] |= TRAP_BIT;
	if (set) {
		put(&masks_with_trap, bit, wants_trap);
		put(&kept_from_ours, bit, keeps_off != 0);
	}
	return 0;
}

static int change_action(sigaction_function change, int signal,
			 const struct sigaction *set, struct sigaction *old)
{
	return is_on() ? change_action_of(change, signal, set, old)
		       : change(signal, set, old);
}

EXPORT int sigaction(int signal, const struct sigaction *set,
		     struct sigaction *old)
{
	return change_action(NEXT(sigaction), signal, set, old);
}

/* Other libraries that wrap sigaction() call libc's function by this name. */
int __sigaction(int signal, const struct sigaction *set, struct sigaction *old);
EXPORT int __sigaction(int signal, const struct sigaction *set,
		       struct sigaction *old)
{
	return change_action(NEXT(__sigaction), signal, set, old);
}

EXPORT int timer_create(clockid_t clock, struct sigevent *event, timer_t *timer)
{
	if (event && is_on() && event->sigev_notify != SIGEV_NONE &&
	    event->sigev_notify != SIGEV_THREAD)
		ticks_yield(event->sigev_signo);
	return NEXT(timer_create)(clock, event, timer);
}

/* Implements signal() and its variants. */
static __sighandler_t set_handler(int signal, __sighandler_t handler, int flags,
				  uint64_t mask)
{
	struct sigaction set = { .sa_flags = flags, .sa_mask = set_of(mask) };
	struct sigaction old;

	set.sa_handler = handler;
	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	return sigaction(signal, &set, &old) ? SIG_ERR : old.sa_handler;
}

EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
	if (is_ours(number))
		return set_handler(number, handler, SA_RESTART,
				   UINT64_C(1) << (number - 1));
	if (number > 0 && number < NSIG)
		masks_with_trap &= ~(UINT64_C(1) << (number - 1));
	return NEXT(signal)(number, handler);
}

__sighandler_t bsd_signal(int signal, __sighandler_t handler);
EXPORT __sighandler_t bsd_signal(int number, __sighandler_t handler)
{
	return signal(number, handler);
}

EXPORT __sighandler_t ssignal(int number, __sighandler_t handler)
{
	return signal(number, handler);
}

/*
 * System V's variant of signal(): the handler is reset at its first call, and
 * no signal is blocked in it.
 */
EXPORT __sighandler_t sysv_signal(int signal, __sighandler_t handler)
{
	return set_handler(signal, handler, SA_RESETHAND | SA_NODEFER, 0);
}

EXPORT __sighandler_t __sysv_signal(int signal, __sighandler_t handler)
{
	return sysv_signal(signal, handler);
}

EXPORT int sigignore(int signal)
{
	return set_handler(signal, SIG_IGN, 0, 0) == SIG_ERR ? -1 : 0;
}

EXPORT int siginterrupt(int signal, int interrupts)
{
	struct sigaction action;

	if (!is_ours(signal))
		return NEXT(siginterrupt)(signal, interrupts);
	if (sigaction(signal, NULL, &action))
		return -1;
	if (interrupts)
		action.sa_flags &= ~SA_RESTART;
	else
		action.sa_flags |= SA_RESTART;
	return sigaction(signal, &action, NULL);
}

/* SIG_HOLD blocks the signal and does not change its action. */
EXPORT __sighandler_t sigset(int signal, __sighandler_t handler)
{
	struct sigaction action;
	__sighandler_t former;
	sigset_t it, old;

	if (!is_ours(signal))
		return NEXT(sigset)(signal, handler);
	it = set_of(UINT64_C(1) << (signal - 1));
	if (handler == SIG_HOLD) {
		if (sigaction(signal, NULL, &action))
			return SIG_ERR;
		former = action.sa_handler;
	} else {
		former = set_handler(signal, handler, 0, 0);
	}
	if (former == SIG_ERR ||
	    sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &it,
			&old))
		return SIG_ERR;
	return old.__val[0] & it.__val[0] ? SIG_HOLD : former;
}

/* ---- Actions set before clew attached, and restored afterwards ---- */

/*
 * Exchanges the kernel's whole action, including the restorer. Returns 0 or
 * -errno.
 */
static int exchange_action(int signal, const struct kernel_action *set,
			   struct kernel_action *out)
{
	return (int)sys_call(SYS_rt_sigaction, signal, (long)set, (long)out,
			     sizeof(out->mask), 0, 0);
}

/*
 * Lets `how` change the action of a signal that has a handler, and installs the
 * result if `how` returns true.
 */
static void change_handler(int signal,
			   int (*how)(int signal, struct kernel_action *action))
{
	struct kernel_action action;

	if (!exchange_action(signal, NULL, &action) &&
	    chained_is_function(&action) && how(signal, &action))
		exchange_action(signal, &action, NULL);
}

static int open_action(int signal, struct kernel_action *action)
{
	const uint64_t had = action->mask;
	const uint64_t keeps_off = ticks_kept_from(action->flags) & ~had;

	action->mask = (had & ~TRAP_BIT) | keeps_off;
	put(&masks_with_trap, SIGNAL_BIT(signal), (had & TRAP_BIT) != 0);
	put(&kept_from_ours, SIGNAL_BIT(signal), keeps_off != 0);
	return action->mask != had;
}

static int close_action(int signal, struct kernel_action *action)
{
	const uint64_t had = action->mask;

	if (kept_from_ours & SIGNAL_BIT(signal))
		action->mask &= ~ticks_own_signals();
	if (masks_with_trap & SIGNAL_BIT(signal))
		action->mask |= TRAP_BIT;
	return action->mask != had;
}

/*
 * Returns the signals that have handlers, read from /proc, or all signals if it
 * cannot be read. This saves a system call for each other signal, at which a
 * tracer would stop the thread twice.
 */
static uint64_t caught(void)
{
	struct proc_line line = { .name = "SigCgt", .base = 16 };

	return proc_status(0, &line, 1) ? ~UINT64_C(0) : line.value;
}

void signals_open_actions(void)
{
	const uint64_t signals = caught() & ~TRAP_BIT;

	masks_with_trap = kept_from_ours = 0;
	for (int signal = 1; signal <= 64; signal++)
		if (signals & SIGNAL_BIT(signal) && !ticks_is_signal(signal))
			change_handler(signal, open_action);
}

void signals_close_actions(void)
{
	const uint64_t signals = caught() & ~TRAP_BIT;

	for (int signal = 1; signal <= 64; signal++)
		if (signals & SIGNAL_BIT(signal) && !ticks_is_signal(signal))
			change_handler(signal, close_action);
	masks_with_trap = kept_from_ours = 0;
}
