/* SPDX-License-Identifier: MIT */
/*
 * A signal that clew takes from the program, whose own action (sigaction(2)) is
 * kept behind clew's.
 *
 * Clew's handler comes first and passes on what is not for clew; what the program
 * asks about the signal is told as though clew were not there. Safe in signal
 * handlers, and where system calls are filtered (process/filter.h).
 */
#ifndef CLEW_SYS_CHAINED_H
#define CLEW_SYS_CHAINED_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "preload/sys/lock.h"
#include "preload/sys/signal_return.h"

/* A place for each one, so that a forked child finds all their locks. */
enum chained_place {
	CHAINED_TRAP,
	CHAINED_TICKS,
	CHAINED_EVENTS,
	CHAINED_CHOSEN,
	CHAINED_FAULTS, /* four of them */
	CHAINED_FAULTS_END = CHAINED_FAULTS + 4,
	CHAINED_PLACES = CHAINED_FAULTS_END
};

struct chained {
	enum chained_place place;
	int signal;
	void (*handler)(int signal, siginfo_t *info, void *context);
	uint64_t mask; /* with which the handler runs */
	struct lock lock;
	uint32_t is_installed;       /* stored last */
	struct kernel_action theirs; /* the program's; under the lock */
};

/* Put our handler in front. Any number of times. 0 or -errno. */
int chained_install(struct chained *chained);

/*
 * Threads have one alternate stack for all: ours run on none from now on. is_alone: all
 * other threads are stopped, and may hold any lock.
 */
void chained_leave_alternate_stacks(int is_alone);

/* Whether ours may: SA_ONSTACK, or 0. */
uint64_t chained_alternate_stacks(void);

/* Ours has been replaced behind our back: it is not installed, if it was. */
void chained_look_again(struct chained *chained);

/* While all other threads are stopped: the program's action is the kernel's again. */
void chained_give_back(struct chained *chained);

/* What the program says: as sigaction(), but 0 or -errno. */
int chained_change_action(struct chained *chained, const struct sigaction *set,
			  struct sigaction *old);

/* The program's action, for one signal. */
struct kernel_action chained_use_action(struct chained *chained);

static inline int chained_is_function(const struct kernel_action *action)
{
	return action->handler != (uintptr_t)SIG_DFL &&
	       action->handler != (uintptr_t)SIG_IGN;
}

/*
 * From our handler: call the program's, with what it wants blocked, but never
 * the signals of `open`. All are blocked afterwards. No system call is made that
 * the program's handler would not make itself: it returns.
 */
void chained_call(const struct kernel_action *theirs, uint64_t open, int signal,
		  siginfo_t *info, ucontext_t *context);

/* Send the calling thread the signal once more. */
void chained_send_again(int signal, siginfo_t *info);

/* Let the signal have its default effect from now on. */
void chained_set_default(int signal);

/*
 * A program is about to be executed: what the program ignores the kernel does, too,
 * which is inherited where a handler is not. Faults and breakpoints, which would kill
 * whoever ignores them, are not among that. What this returns, a bit for each place,
 * goes to chained_handle_again() if the caller lives on. As safe in handlers as exec.
 */
uint32_t chained_ignore_for_exec(void);
void chained_handle_again(uint32_t ignored);

/* In a forked child: threads that were in the midst of these are not there. */
void chained_after_fork(void);

#endif
