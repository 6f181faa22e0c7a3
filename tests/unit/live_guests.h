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
	int ends[2]; /* of a pipe that the guest may read */
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
void *guest_visits_host(void *guest); /* stays between the host's two jumps */
void *guest_sums(void *guest);        /* calls live_sum() until it may end */
void *guest_blocks_signals(void *guest);
void *guest_blocks_traps(void *guest);

void guest_start(struct guest *guest, void *(*run)(void *));

/* Waits until the guest has ended, and returns the result of its function. */
long guest_end(struct guest *guest);

/* Waits until the guest sleeps at this pc, or at any pc if it is 0. */
void guest_wait_until_asleep(const struct guest *guest, uint64_t pc);
void guest_wait_until_running(struct guest *guest, uint64_t pc);

/* Wakes a guest that reads or spins. */
void guest_wake(struct guest *guest);
void guest_leave(struct guest *guest);

/* Makes a spinning guest read in a signal handler, and then leave its loop. */
void guest_sleep_in_handler(struct guest *guest);

/*
 * Hooks or unhooks while a guest is between the bytes. This is refused and
 * changes no byte. After a thread that saw the breakpoints has made the guest
 * continue, it succeeds.
 */
void live_change_past(int is_hooked, struct guest *guest,
		      void (*act)(struct guest *guest));

#endif
