/* SPDX-License-Identifier: MIT */
/* A timer of the kernel's by the CPU clock of one thread, which it sends a signal. */
#ifndef CLEW_TIME_CPU_TIMER_H
#define CLEW_TIME_CPU_TIMER_H

#include <stdint.h>

/* The number of a thread's CPU clock, as the kernel makes it. */
static inline int cpu_timer_clock(uint32_t tid)
{
	return (int)(~tid << 3 | 6);
}

/*
 * For a thread of this process, with a value that comes with the signal. The first
 * period is cut short at random, so that short threads may have a sample. 0 or
 * -errno. Any thread, in signal handlers.
 */
int cpu_timer_make(uint32_t tid, int signal, uint64_t value, uint64_t period_ns,
		   int32_t *timer);
void cpu_timer_delete(int32_t timer);

#endif
