/* SPDX-License-Identifier: MIT */
/* See preload/patch/pc_query.h. */
#include "preload/patch/pc_query.h"

#include <signal.h>
#include <stddef.h>
#include <ucontext.h>

#include "preload/sys/chained.h"
#include "preload/sys/copy_bytes.h"
#include "preload/sys/proc.h"
#include "preload/sys/proc_threads.h"
#include "preload/sys/sys.h"
#include "preload/time/watch.h"

#define SIGNAL_LAST   64
#define SIGNAL_FIRST  35 /* libc uses 32 and 33 itself, musl 34 also */
#define SYSCALL_BYTES 2
#define LOAD_BYTES    5 /* mov $number,%eax before the system call */

/* Stays set after pc_query_close(), because a signal may arrive late. */
static _Atomic pc_query_handler take_answer;

/*
 * The number of signals sent, and of handlers that have begun. The numbers
 * differ while signals have not arrived yet, and permanently if one never
 * arrives because its thread has ended or the signal was discarded.
 */
static _Atomic uint32_t sent, taken;

/* ---- In the queried thread ---- */

/*
 * Returns whether a system call may fail with EINTR after a handler, even with
 * SA_RESTART, and can be repeated with the same arguments. A timeout of the
 * call begins again. The timeout has hardly advanced: signals are sent to
 * running threads only, so the call has begun after the signal was sent.
 */
static int can_be_made_again(uint32_t call)
{
	static const uint16_t calls[] = {
		SYS_poll,
		SYS_ppoll,
		SYS_select,
		SYS_pselect6,
		SYS_epoll_wait,
		SYS_epoll_pwait,
		SYS_epoll_pwait2,
		SYS_nanosleep,
		SYS_clock_nanosleep,
		SYS_rt_sigtimedwait,
		SYS_rt_sigsuspend,
		SYS_pause,
		SYS_semop,
		SYS_semtimedop,
		SYS_msgrcv,
		SYS_msgsnd,
		SYS_futex,
		SYS_io_getevents,
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (calls[i] == call)
			return 1;
	return 0;
}

/*
 * If the signal has interrupted a system call that can be repeated, moves the
 * thread's pc back to the load of the call's number, so that the program does
 * not notice the signal.
 */
static void undo_interruption(ucontext_t *context)
{
	greg_t *registers = context->uc_mcontext.gregs;
	uint64_t load =
		(uint64_t)registers[REG_RIP] - SYSCALL_BYTES - LOAD_BYTES;
	uint8_t code[LOAD_BYTES + SYSCALL_BYTES];
	uint32_t call;

	if (registers[REG_RAX] != -EINTR ||
	    sys_read_memory(load, code, sizeof(code)))
		return;
	copy_bytes(&call, code + 1, sizeof(call));
	if (code[0] == 0xb8 && code[5] == 0x0f && code[6] == 0x05 &&
	    can_be_made_again(call))
		registers[REG_RIP] = (greg_t)load;
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	ucontext_t *interrupted = context;
	const greg_t *registers = interrupted->uc_mcontext.gregs;

	if (info->si_code != SI_QUEUE || info->si_pid != sys_getpid())
		return;
	taken++;
	undo_interruption(interrupted);
	take_answer((uintptr_t)info->si_value.sival_ptr,
		    (uint64_t)registers[REG_RIP], (uint64_t)registers[REG_RSP]);
}

/* ---- The signal ---- */

static int is_free(int signal)
{
	struct kernel_action action;

	return !signal_get_action(signal, &action) &&
	       action.handler == (uintptr_t)SIG_DFL;
}

struct blocked {
	/* the calling thread, which blocks all signals at this moment */
	int own_tid;
	uint64_t by_some;
};

static int add_blocked(void *context, int tid)
{
	struct blocked *blocked = context;
	uint64_t mask;

	if (tid != blocked->own_tid && !proc_blocked_signals(tid, &mask))
		blocked->by_some |= mask;
	return 0;
}

/*
 * Returns a free signal, or 0. Prefers signals that no thread blocks, because a
 * thread that blocks a signal may wait for it by sigwait(). Among these it
 * prefers the highest number, because the kernel delivers that one last and so
 * its handler runs first.
 */
static int choose_signal(void)
{
	struct blocked blocked = { .own_tid = sys_gettid() };
	int chosen = 0;

	proc_each_thread(watch_tid(), add_blocked, &blocked);
	for (int signal = SIGNAL_FIRST; signal <= SIGNAL_LAST; signal++)
		if (is_free(signal) &&
		    (!chosen || !(blocked.by_some & SIGNAL_BIT(signal)) ||
		     blocked.by_some & SIGNAL_BIT(chosen)))
			chosen = signal;
	return chosen;
}

int pc_query_open(struct pc_query *query, pc_query_handler handler)
{
	const struct kernel_action ours = {
		.handler = (uintptr_t)on_signal,
		.flags = SA_SIGINFO | SA_RESTART | chained_alternate_stacks(),
		.mask = ~UINT64_C(0),
	};

	take_answer = handler;
	query->signal = choose_signal();
	if (!query->signal)
		return -EAGAIN;
	return signal_set_action(query->signal, &ours, NULL);
}

int pc_query_send(const struct pc_query *query, int tid, uint64_t value)
{
	siginfo_t info = { .si_signo = query->signal, .si_code = SI_QUEUE };
	int err;

	info.si_pid = sys_getpid();
	info.si_value.sival_ptr = (void *)value;
	err = (int)sys_call(SYS_rt_tgsigqueueinfo, sys_getpid(), tid,
			    query->signal, (long)&info, 0, 0);
	sent += !err;
	return err;
}

/*
 * Ignoring a signal discards its pending instances. This is done only if
 * signals have not arrived, because instances that the program itself has sent
 * would be discarded as well. If the program has installed an action for the
 * signal meanwhile, that action stays.
 */
void pc_query_close(const struct pc_query *query)
{
	static const struct kernel_action ignore = { .handler = (uintptr_t)
							     SIG_IGN },
					  none = { .handler =
							   (uintptr_t)SIG_DFL };
	struct kernel_action now;

	if (signal_get_action(query->signal, &now) ||
	    now.handler != (uintptr_t)on_signal)
		return;
	if (sent != taken)
		signal_set_action(query->signal, &ignore, NULL);
	signal_set_action(query->signal, &none, NULL);
}
