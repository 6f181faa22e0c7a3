/* SPDX-License-Identifier: MIT */
/*
 * A signal that both clew and the program handle. clew's handler is installed
 * in the kernel, and the program's action (sigaction(2)) is stored here.
 *
 * clew's handler is called first and passes on signals that are not for clew.
 * The program sees its own action, as if clew did not exist. These functions
 * are safe in signal handlers and under system call filters (process/filter.h),
 * unless a comment says otherwise.
 */
#ifndef CLEW_SYS_CHAINED_H
#define CLEW_SYS_CHAINED_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

#include "preload/sys/lock.h"
#include "preload/sys/signal_return.h"

/*
 * Index of a signal in the table of all handled signals (chained.c), through
 * which a forked child resets the locks.
 */
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
	uint64_t mask; /* the handler's mask */
	struct lock lock;
	uint32_t is_installed; /* stored last */
	/* the program's action; protected by `lock` */
	struct kernel_action theirs;
};

/* Installs clew's handler, unless it is installed. Returns 0 or -errno. */
int chained_install(struct chained *chained);

/*
 * Stops using alternate stacks for clew's handlers. Called if two threads share
 * an alternate stack. is_alone: all other threads are stopped and may hold any
 * lock.
 */
void chained_stop_alternate_stacks(int is_alone);

/* Returns SA_ONSTACK if clew's handlers may use alternate stacks, or 0. */
uint64_t chained_alternate_stacks(void);

/*
 * Checks whether another action has replaced clew's handler, which then counts
 * as not installed.
 */
void chained_recheck(struct chained *chained);

/*
 * Restores the program's action in the kernel. Called while all other threads
 * are stopped.
 */
void chained_give_back(struct chained *chained);

/* Does the same as sigaction() for the program. Returns 0 or -errno. */
int chained_change_action(struct chained *chained, const struct sigaction *set,
			  struct sigaction *old);

/*
 * Returns the program's action for a signal that has arrived, and resets it if
 * it has SA_RESETHAND.
 */
struct kernel_action chained_use_action(struct chained *chained);

static inline int chained_is_function(const struct kernel_action *action)
{
	return action->handler != (uintptr_t)SIG_DFL &&
	       action->handler != (uintptr_t)SIG_IGN;
}

/*
 * Called in clew's handler: calls the program's handler with its mask blocked,
 * except the signals of `open`. All signals are blocked afterwards. The only
 * system call is that by which a handler returns.
 */
void chained_call(const struct kernel_action *theirs, uint64_t open, int signal,
		  siginfo_t *info, ucontext_t *context);

/* Sends the signal to the calling thread again. */
void chained_send_again(int signal, siginfo_t *info);

/* Installs SIG_DFL for the signal in the kernel. */
void chained_set_default(int signal);

/*
 * Called before exec: makes the kernel ignore the signals that the program
 * ignores, because that is inherited and a handler is not. Excludes faults and
 * breakpoints, which kill a process that ignores them. Returns the argument of
 * chained_handle_again(), a bit for each signal, which undoes this if exec
 * fails. Both functions may be called wherever exec may.
 */
uint32_t chained_ignore_for_exec(void);
void chained_handle_again(uint32_t ignored);

/* Resets the locks in a forked child, which has no other threads. */
void chained_after_fork(void);

#endif
