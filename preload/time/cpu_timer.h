/* SPDX-License-Identifier: MIT */
/*
 * A kernel timer on the CPU clock of one thread, which sends a signal to that
 * thread.
 */
#ifndef CLEW_TIME_CPU_TIMER_H
#define CLEW_TIME_CPU_TIMER_H

#include <stdint.h>

/* Returns the number of a thread's CPU clock, as the kernel computes it. */
static inline int cpu_timer_clock(uint32_t tid)
{
	return (int)(~tid << 3 | 6);
}

/*
 * Creates a timer for a thread of this process. Its signal carries `value`. The
 * first period is shortened at random, so that short-lived threads may get a
 * sample as well. Returns 0 or -errno. Any thread may call this function, also
 * in a signal handler.
 */
int cpu_timer_make(uint32_t tid, int signal, uint64_t value, uint64_t period_ns,
		   int32_t *timer);
void cpu_timer_delete(int32_t timer);

#endif
