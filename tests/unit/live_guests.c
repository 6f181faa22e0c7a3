/* SPDX-License-Identifier: MIT */
#include "tests/unit/live_guests.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/sys/proc.h"
#include "tests/unit/live_sites.h"
#include "tests/unit/unit.h"

#define INT3 0xcc

void guest_start(struct guest *guest, void *(*run)(void *))
{
	memset(guest, 0, sizeof(*guest));
	assert_int_equal(pipe(guest->ends), 0);
	pthread_create(&guest->thread, NULL, run, guest);
	while (!guest->tid)
		;
}

static void say_tid(struct guest *guest)
{
	guest->tid = (int)syscall(SYS_gettid);
}

void guest_wake(struct guest *guest)
{
	if (write(guest->ends[1], "x", 1) != 1)
		abort();
}

/* Joins a thread, and waits until its entry in /proc has disappeared. */
static void join(pthread_t thread, int tid)
{
	struct proc_activity activity;
	struct proc_text text;

	pthread_join(thread, NULL);
	while (!proc_activity(&text, tid, &activity))
		sched_yield();
}

long guest_end(struct guest *guest)
{
	join(guest->thread, guest->tid);
	close(guest->ends[0]);
	close(guest->ends[1]);
	return guest->result;
}

void guest_wait_until_asleep(const struct guest *guest, uint64_t pc)
{
	struct proc_activity activity = { 0 };
	struct proc_text text;

	do
		assert_int_equal(proc_activity(&text, guest->tid, &activity),
				 0);
	while (!activity.is_asleep || (pc && activity.pc != pc));
}

void *guest_reads(void *context)
{
	struct guest *guest = context;
	char byte;

	say_tid(guest);
	guest->result = live_read(guest->ends[0], &byte, 1);
	return NULL;
}

void *guest_spins(void *context)
{
	struct guest *guest = context;

	say_tid(guest);
	guest->result = live_spin();
	return NULL;
}

void *guest_visits_host(void *context)
{
	int (*const behind_the_jump)(void) =
		(int (*)(void))(live_pc_of(HOST) + JUMP_BYTES);
	struct guest *guest = context;

	say_tid(guest);
	guest->result = behind_the_jump();
	return NULL;
}

void *guest_sums(void *context)
{
	struct guest *guest = context;

	say_tid(guest);
	for (uint64_t n = 0; !guest->may_go; n++) {
		guest->errors += live_sum(n) != 3 * n + 7;
		guest->calls++;
	}
	return NULL;
}

/* Spins outside of the sites, with these signals blocked. */
static void stay(struct guest *guest, const sigset_t *signals)
{
	pthread_sigmask(SIG_SETMASK, signals, NULL);
	say_tid(guest);
	while (!guest->may_go)
		;
}

void *guest_blocks_signals(void *guest)
{
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	stay(guest, &all);
	return NULL;
}

void *guest_blocks_traps(void *guest)
{
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	stay(guest, &trap);
	return NULL;
}

/* ---- Handlers that make spinning guests leave their loop ---- */

static _Atomic uint64_t interrupted_pc;
static struct guest *in_handler;

static void leave(ucontext_t *interrupted)
{
	greg_t *registers = interrupted->uc_mcontext.gregs;
	const uint64_t pc = (uint64_t)registers[REG_RIP];

	if (pc == live_pc_of(SPIN) + SPIN_AT)
		registers[REG_RIP] = (greg_t)live_spin_rest;
	if (pc == live_pc_of(HOST) + JUMP_BYTES)
		registers[REG_RIP] = (greg_t)live_host_rest;
}

static void on_look(int signal, siginfo_t *info, void *context)
{
	const ucontext_t *interrupted = context;

	interrupted_pc = (uint64_t)interrupted->uc_mcontext.gregs[REG_RIP];
}

static void on_leave(int signal, siginfo_t *info, void *context)
{
	leave(context);
}

static void on_sleep(int signal, siginfo_t *info, void *context)
{
	char byte;

	if (read(in_handler->ends[0], &byte, 1) != 1)
		abort();
	leave(context);
}

/*
 * Installs a handler during which SIGUSR1 and SIGUSR2 are blocked, so that each
 * handler sees where the guest is.
 */
static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };

	sigaddset(&action.sa_mask, SIGUSR1);
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(signal, &action, NULL);
}

void guest_wait_until_running(struct guest *guest, uint64_t pc)
{
	handle(SIGUSR1, on_look);
	interrupted_pc = 0;
	while (interrupted_pc != pc)
		pthread_kill(guest->thread, SIGUSR1);
}

void guest_leave(struct guest *guest)
{
	handle(SIGUSR2, on_leave);
	pthread_kill(guest->thread, SIGUSR2);
}

void guest_sleep_in_handler(struct guest *guest)
{
	in_handler = guest;
	handle(SIGUSR2, on_sleep);
	pthread_kill(guest->thread, SIGUSR2);
	guest_wait_until_asleep(guest, 0);
}

/* ---- A thread that acts while the breakpoints are written ---- */

struct accomplice {
	pthread_t thread;
	int tid;
	void (*act)(struct guest *guest);
	struct guest *guest;
};

static void *waits_for_breakpoints(void *context)
{
	struct accomplice *accomplice = context;

	accomplice->tid = (int)syscall(SYS_gettid);
	while (*(const volatile uint8_t *)live_pc_of(SUM) != INT3)
		;
	accomplice->act(accomplice->guest);
	return NULL;
}

void live_change_past(int is_hooked, struct guest *guest,
		      void (*act)(struct guest *))
{
	const live_way how = is_hooked ? live_commit : live_revert;
	struct accomplice accomplice = { .act = act, .guest = guest };
	int tid = 0;

	assert_int_equal(live_change(how, SHORT_NS, &tid), -EBUSY);
	assert_int_equal(tid, guest->tid);
	live_assert_stands(!is_hooked);
	pthread_create(&accomplice.thread, NULL, waits_for_breakpoints,
		       &accomplice);
	assert_int_equal(live_change(how, LONG_NS, &tid), 0);
	live_assert_stands(is_hooked);
	join(accomplice.thread, accomplice.tid);
}
