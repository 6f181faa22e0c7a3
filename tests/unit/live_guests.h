/* SPDX-License-Identifier: MIT */
/*
 * Threads at chosen addresses of the functions of live_code_x86_64.S.
 */
#ifndef CLEW_TESTS_LIVE_GUESTS_H
#define CLEW_TESTS_LIVE_GUESTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

struct guest {
	pthread_t thread;
	_Atomic int tid;
	int ends[2]; /* of a pipe that it may read */
	_Atomic int may_go;
	_Atomic uint64_t calls, errors;
	long result;
};

/*
 * Thread functions; their argument is the guest. The first three stay at one
 * address until they are woken.
 */
void *guest_reads(void *guest);
void *guest_spins(void *guest);
void *guest_visits_host(void *guest); /* between its jumps */
void *guest_sums(void *guest);        /* until it may go */
void *guest_blocks_signals(void *guest);
void *guest_blocks_traps(void *guest);

void guest_start(struct guest *guest, void *(*run)(void *));

/* Waits until the guest has ended. Returns its function's result. */
long guest_end(struct guest *guest);

/* At that pc, or anywhere if it is 0. */
void guest_wait_until_asleep(const struct guest *guest, uint64_t pc);
void guest_wait_until_running(struct guest *guest, uint64_t pc);

/* Wakes a guest that reads, or one that spins. */
void guest_wake(struct guest *guest);
void guest_leave(struct guest *guest);

/* Have one that spins read in a signal handler, and leave then. */
void guest_sleep_in_handler(struct guest *guest);

/*
 * Hook or unhook while a guest is in the way: it is refused, and all bytes stay
 * as they are; then it succeeds, when somebody who saw the breakpoints has made
 * the guest go.
 */
void live_change_past(int is_hooked, struct guest *guest,
		      void (*act)(struct guest *guest));

#endif
