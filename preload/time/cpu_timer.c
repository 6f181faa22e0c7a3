/* SPDX-License-Identifier: MIT */
/* See cpu_timer.h. */
#include "preload/time/cpu_timer.h"

#include <signal.h>

#include "preload/hot/stamp_counter.h"
#include "preload/sys/sys.h"

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / 1000000000),
				  .tv_nsec = (long)(ns % 1000000000) };
}

/*
 * Names the clock by cpu_timer_clock(), because libc offers no clock for a tid.
 */
int cpu_timer_make(uint32_t tid, int signal, uint64_t value, uint64_t period_ns,
		   int32_t *timer)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD_ID,
				  .sigev_signo = signal,
				  .sigev_value.sival_ptr = (void *)value };
	struct itimerspec every = {
		.it_interval = timespec_of(period_ns),
		.it_value = timespec_of(1 + stamp_counter() % period_ns),
	};
	int err;

	event._sigev_un._tid = (int)tid;
	err = (int)sys_call(SYS_timer_create, cpu_timer_clock(tid),
			    (long)&event, (long)timer, 0, 0, 0);
	if (err)
		return err;
	err = (int)sys_call(SYS_timer_settime, *timer, 0, (long)&every, 0, 0,
			    0);
	if (err)
		cpu_timer_delete(*timer);
	return err;
}

void cpu_timer_delete(int32_t timer)
{
	sys_call(SYS_timer_delete, timer, 0, 0, 0, 0, 0);
}
