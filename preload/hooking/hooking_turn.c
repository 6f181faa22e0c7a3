/* SPDX-License-Identifier: MIT */
/* See hooking_turn.h. */
#include "preload/hooking/hooking_turn.h"

#include <errno.h>
#include <stdatomic.h>

#include "preload/sys/sys.h"

/* tid of the thread that has the turn, or 0 */
static _Atomic uint32_t holder;

int hooking_turn_take(uint64_t deadline_ns)
{
	const struct timespec moment = { .tv_nsec = 100000 };
	const uint32_t own = (uint32_t)sys_gettid();

	for (;;) {
		uint32_t other = 0;

		if (atomic_compare_exchange_strong(&holder, &other, own))
			return 1;
		if (other == own)
			return 0;
		if (!sys_thread_exists(sys_getpid(), (int)other) &&
		    atomic_compare_exchange_strong(&holder, &other, own))
			return 1;
		if (deadline_ns != HOOKING_TURN_EVER &&
		    sys_clock_ns(CLOCK_MONOTONIC) >= deadline_ns)
			return -EBUSY;
		sys_call(SYS_nanosleep, (long)&moment, 0, 0, 0, 0, 0);
	}
}

void hooking_turn_give(void)
{
	atomic_store(&holder, 0);
}
