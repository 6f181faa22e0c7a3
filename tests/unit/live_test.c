/* SPDX-License-Identifier: MIT */
/*
 * live.c, quiesce.c and what they stand on: real threads are put at chosen
 * places of functions made by hand (live_code_x86_64.S) while those are hooked
 * and unhooked.
 */
#include "preload/live.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include "preload/cold.h"
#include "preload/hot/runtime.h"
#include "preload/proc.h"
#include "tests/unit/unit.h"

#define INT3       0xcc
#define JUMP_BYTES 5
#define LONG_NS    UINT64_C(60000000000)
#define SHORT_NS   UINT64_C(20000000) /* for what would wait for ever */
#define SPIN_AT    1
#define ASLEEP_AT  4
#define CALLERS    3
#define ROUNDS     100

uint64_t live_sum(uint64_t n);
long live_read(int fd, char *byte, size_t bytes);
int live_spin(void);
int live_host(void);
extern const uint8_t live_spin_rest[], live_host_rest[];
extern const uint8_t live_read_stub_asleep[];
void live_sum_stub(void);
void live_read_stub(void);
void live_spin_stub(void);
void live_host_stub(void);
extern _Atomic uint64_t live_sum_stubbed, live_read_stubbed;
extern _Atomic uint64_t live_spin_stubbed, live_host_stubbed;

enum { SUM, READ, SPIN, HOST, SITES };

static struct patch_site sites[SITES];
static struct patch patch = { .sites = sites, .site_count = SITES };
static struct cold cold = { .patches = &patch };
static struct wire_header header;

/* ---- Sites ---- */

static uint64_t pc_of(int site)
{
	return sites[site].text.pc;
}

static void aim(int number, uint64_t pc, uint64_t stub, uint8_t bytes)
{
	struct patch_site *site = &sites[number];
	const int32_t displacement = (int32_t)(stub - pc - JUMP_BYTES);

	*site = (struct patch_site){ .text = { .pc = pc, .bytes = bytes },
				     .stub = stub };
	memcpy(site->text.before, (const void *)pc, bytes);
	memcpy(site->text.after, site->text.before, bytes);
	site->text.after[0] = 0xe9; /* jmp rel32 */
	memcpy(site->text.after + 1, &displacement, sizeof(displacement));
}

static int aim_all(void **state)
{
	aim(SUM, (uintptr_t)live_sum, (uintptr_t)live_sum_stub, 5);
	aim(READ, (uintptr_t)live_read, (uintptr_t)live_read_stub, 5);
	aim(SPIN, (uintptr_t)live_spin, (uintptr_t)live_spin_stub, 5);
	aim(HOST, (uintptr_t)live_host, (uintptr_t)live_host_stub, 10);
	sites[HOST].is_host = 1;
	/* Where the guest's jump would be: somebody may stay between the two. */
	memcpy(sites[HOST].text.after + JUMP_BYTES, "\xeb\xfe", 2);
	return 0;
}

static void assert_stands(int is_hooked)
{
	for (int i = 0; i < SITES; i++) {
		const struct patch_text *text = &sites[i].text;

		assert_memory_equal((const void *)text->pc,
				    is_hooked ? text->after : text->before,
				    text->bytes);
	}
}

/* ---- Changes ---- */

static int change(int (*how)(const struct live_range *, uint32_t, uint64_t,
			     int *),
		  uint64_t patience_ns, int *tid)
{
	/* two ranges, as of two modules */
	const struct live_range ranges[] = {
		{ .patch = &patch, .first = 0, .count = SPIN },
		{ .patch = &patch, .first = SPIN, .count = SITES - SPIN },
	};
	uint64_t signals;
	int err;

	sys_block_signals(&signals);
	err = how(ranges, 2, sys_clock_ns(CLOCK_MONOTONIC) + patience_ns, tid);
	sys_restore_signals(&signals);
	return err;
}

static void hook(void)
{
	int tid;

	assert_int_equal(change(live_commit, LONG_NS, &tid), 0);
	assert_stands(1);
}

static void unhook(void)
{
	int tid;

	assert_int_equal(change(live_revert, LONG_NS, &tid), 0);
	assert_stands(0);
}

/* ---- Threads at chosen places ---- */

struct guest {
	pthread_t thread;
	_Atomic int tid;
	int ends[2]; /* of a pipe that it may read */
	_Atomic int may_go;
	_Atomic uint64_t calls, errors;
	long result;
};

static struct guest *new_guest(struct guest *guest, void *(*run)(void *))
{
	memset(guest, 0, sizeof(*guest));
	assert_int_equal(pipe(guest->ends), 0);
	pthread_create(&guest->thread, NULL, run, guest);
	while (!guest->tid)
		;
	return guest;
}

static void say_tid(struct guest *guest)
{
	guest->tid = (int)syscall(SYS_gettid);
}

static void wake(struct guest *guest)
{
	if (write(guest->ends[1], "x", 1) != 1)
		abort();
}

/* Until the kernel has let go of it. */
static void join(pthread_t thread, int tid)
{
	struct proc_activity activity;
	struct proc_text text;

	pthread_join(thread, NULL);
	while (!proc_activity(&text, tid, &activity))
		sched_yield();
}

/* What its function returned. */
static long end_of(struct guest *guest)
{
	join(guest->thread, guest->tid);
	close(guest->ends[0]);
	close(guest->ends[1]);
	return guest->result;
}

static void wait_until_asleep(const struct guest *guest, uint64_t pc)
{
	struct proc_activity activity = { 0 };
	struct proc_text text;

	do
		assert_int_equal(proc_activity(&text, guest->tid, &activity),
				 0);
	while (!activity.is_asleep || (pc && activity.pc != pc));
}

static void *reads(void *context)
{
	struct guest *guest = context;
	char byte;

	say_tid(guest);
	guest->result = live_read(guest->ends[0], &byte, 1);
	return NULL;
}

static void *spins(void *context)
{
	struct guest *guest = context;

	say_tid(guest);
	guest->result = live_spin();
	return NULL;
}

static void *visits_host(void *context)
{
	int (*const behind_the_jump)(void) =
		(int (*)(void))(pc_of(HOST) + JUMP_BYTES);
	struct guest *guest = context;

	say_tid(guest);
	guest->result = behind_the_jump();
	return NULL;
}

static void *sums(void *context)
{
	struct guest *guest = context;

	say_tid(guest);
	for (uint64_t n = 0; !guest->may_go; n++) {
		guest->errors += live_sum(n) != 3 * n + 7;
		guest->calls++;
	}
	return NULL;
}

static void *blocks_signals(void *context)
{
	struct guest *guest = context;
	sigset_t all;

	sigfillset(&all);
	sigdelset(&all, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &all, NULL);
	say_tid(guest);
	while (!guest->may_go)
		;
	return NULL;
}

static void *blocks_traps(void *context)
{
	struct guest *guest = context;
	sigset_t trap;

	sigemptyset(&trap);
	sigaddset(&trap, SIGTRAP);
	pthread_sigmask(SIG_SETMASK, &trap, NULL);
	say_tid(guest);
	while (!guest->may_go)
		;
	return NULL;
}

/* ---- Handlers, by which threads leave where they spin ---- */

static _Atomic uint64_t interrupted_pc;
static struct guest *in_handler;

static void leave(ucontext_t *interrupted)
{
	greg_t *registers = interrupted->uc_mcontext.gregs;
	const uint64_t pc = (uint64_t)registers[REG_RIP];

	if (pc == pc_of(SPIN) + SPIN_AT)
		registers[REG_RIP] = (greg_t)live_spin_rest;
	if (pc == pc_of(HOST) + JUMP_BYTES)
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

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = { .sa_sigaction = handler,
				    .sa_flags = SA_SIGINFO };

	sigaction(signal, &action, NULL);
}

static void wait_until_running_at(struct guest *guest, uint64_t pc)
{
	handle(SIGUSR1, on_look);
	interrupted_pc = 0;
	while (interrupted_pc != pc)
		pthread_kill(guest->thread, SIGUSR1);
}

/* ---- An accomplice, who acts while the breakpoints are in ---- */

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
	while (*(const volatile uint8_t *)pc_of(SUM) != INT3)
		;
	accomplice->act(accomplice->guest);
	return NULL;
}

/* Somebody is in the way until the accomplice makes him leave. */
static void change_past(int is_hooked, struct guest *guest,
			void (*act)(struct guest *))
{
	int (*const how)(const struct live_range *, uint32_t, uint64_t, int *) =
		is_hooked ? live_commit : live_revert;
	struct accomplice accomplice = { .act = act, .guest = guest };
	int tid = 0;

	assert_int_equal(change(how, SHORT_NS, &tid), -EBUSY);
	assert_int_equal(tid, guest->tid);
	assert_stands(!is_hooked);
	pthread_create(&accomplice.thread, NULL, waits_for_breakpoints,
		       &accomplice);
	assert_int_equal(change(how, LONG_NS, &tid), 0);
	assert_stands(is_hooked);
	join(accomplice.thread, accomplice.tid);
}

static void make_leave(struct guest *guest)
{
	handle(SIGUSR1, on_leave);
	pthread_kill(guest->thread, SIGUSR1);
}

/* Who comes to a breakpoint goes on in the stub. */
static void call_and_wake(struct guest *guest)
{
	const uint64_t stubbed = live_sum_stubbed, hits = header.trap_hits;

	guest->errors += live_sum(5) != 3 * 5 + 7;
	guest->errors += live_sum_stubbed != stubbed + 1;
	guest->errors += header.trap_hits != hits + 1;
	wake(guest);
}

/* ---- Claims ---- */

static void a_call_goes_through_the_stub_while_hooked(void **state)
{
	uint64_t stubbed = live_sum_stubbed;

	assert_int_equal(live_sum(1), 10);
	assert_int_equal(live_sum_stubbed, stubbed);
	hook();
	assert_int_equal(live_sum(2), 13);
	assert_int_equal(live_spin(), 1);
	assert_int_equal(live_sum_stubbed, ++stubbed);
	unhook();
	assert_int_equal(live_sum(3), 16);
	assert_int_equal(live_sum_stubbed, stubbed);
}

static void hooking_twice_changes_nothing(void **state)
{
	hook();
	hook();
	unhook();
	unhook();
	assert_int_equal(live_sum(1), 10);
}

static void callers_do_not_notice(void **state)
{
	const uint64_t stubbed = live_sum_stubbed;
	struct guest guests[CALLERS];
	uint64_t calls = 0;

	for (int i = 0; i < CALLERS; i++)
		new_guest(&guests[i], sums);
	for (int round = 0; round < ROUNDS; round++) {
		const uint64_t before = live_sum_stubbed;

		hook();
		while (live_sum_stubbed == before)
			sched_yield();
		unhook();
	}
	for (int i = 0; i < CALLERS; i++) {
		guests[i].may_go = 1;
		end_of(&guests[i]);
		assert_int_equal(guests[i].errors, 0);
		calls += guests[i].calls;
	}
	assert_in_range(live_sum_stubbed - stubbed, ROUNDS, calls);
}

static void who_sleeps_between_the_bytes_is_waited_for(void **state)
{
	struct guest guest;

	new_guest(&guest, reads);
	wait_until_asleep(&guest, pc_of(READ) + ASLEEP_AT);
	change_past(1, &guest, call_and_wake);
	assert_int_equal(end_of(&guest), 1);
	assert_int_equal(guest.errors, 0);
	unhook();
}

static void who_runs_between_the_bytes_is_waited_for(void **state)
{
	struct guest guest;

	new_guest(&guest, spins);
	wait_until_running_at(&guest, pc_of(SPIN) + SPIN_AT);
	change_past(1, &guest, make_leave);
	assert_int_equal(end_of(&guest), 1);
	unhook();
}

/* Where it will go on when its handler returns. */
static void who_is_between_them_below_a_handler_is_waited_for(void **state)
{
	struct guest guest;

	new_guest(&guest, spins);
	wait_until_running_at(&guest, pc_of(SPIN) + SPIN_AT);
	in_handler = &guest;
	handle(SIGUSR1, on_sleep);
	pthread_kill(guest.thread, SIGUSR1);
	wait_until_asleep(&guest, 0);
	change_past(1, &guest, wake);
	assert_int_equal(end_of(&guest), 1);
	unhook();
}

static void who_is_between_the_jumps_of_a_host_is_waited_for(void **state)
{
	struct guest guest;

	hook();
	new_guest(&guest, visits_host);
	wait_until_running_at(&guest, pc_of(HOST) + JUMP_BYTES);
	change_past(0, &guest, make_leave);
	assert_int_equal(end_of(&guest), 1);
}

static void refuse_until_it_goes(void *(*run)(void *))
{
	struct guest guest;
	int tid = 0;

	new_guest(&guest, run);
	assert_int_equal(change(live_commit, SHORT_NS, &tid), -EBUSY);
	assert_int_equal(tid, guest.tid);
	assert_stands(0);
	guest.may_go = 1;
	end_of(&guest);
	hook();
	unhook();
}

static void who_cannot_be_asked_prevents_it(void **state)
{
	refuse_until_it_goes(blocks_signals);
}

static void who_cannot_take_a_breakpoint_prevents_it(void **state)
{
	refuse_until_it_goes(blocks_traps);
}

/* The stub stays where it is, and goes on behind the site. */
static void who_is_in_a_stub_is_not_waited_for(void **state)
{
	const uint64_t stubbed = live_read_stubbed;
	struct guest guest;

	hook();
	new_guest(&guest, reads);
	wait_until_asleep(&guest, (uintptr_t)live_read_stub_asleep);
	unhook();
	wake(&guest);
	assert_int_equal(end_of(&guest), 1);
	assert_int_equal(live_read_stubbed, stubbed + 1);
}

#define CLAIM(name) cmocka_unit_test_setup(name, aim_all)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CLAIM(a_call_goes_through_the_stub_while_hooked),
		CLAIM(hooking_twice_changes_nothing),
		CLAIM(callers_do_not_notice),
		CLAIM(who_sleeps_between_the_bytes_is_waited_for),
		CLAIM(who_runs_between_the_bytes_is_waited_for),
		CLAIM(who_is_between_them_below_a_handler_is_waited_for),
		CLAIM(who_is_between_the_jumps_of_a_host_is_waited_for),
		CLAIM(who_cannot_be_asked_prevents_it),
		CLAIM(who_cannot_take_a_breakpoint_prevents_it),
		CLAIM(who_is_in_a_stub_is_not_waited_for),
	};

	rt.cold = &cold;
	rt.header = &header;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
