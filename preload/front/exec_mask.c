/* SPDX-License-Identifier: MIT */
/* See exec_mask.h. */
#include "preload/front/exec_mask.h"

#include <signal.h>
#include <time.h>

#include "preload/sys/chained.h"
#include "preload/sys/signal_return.h"
#include "preload/sys/sys.h"
#include "preload/time/ticks.h"

/*
 * Returns whether a timer or an event sent the signal; signals from other
 * processes have another code.
 */
static int is_of_kernel(const siginfo_t *info)
{
	return info->si_signo == SIGURG ? info->si_code > 0
					: info->si_code == SI_TIMER;
}

/*
 * Drops signals that arrived before their timers were deleted; signals for the
 * program are sent again.
 */
static void drop_pending(uint64_t signals)
{
	const struct timespec no_time = { 0 };
	siginfo_t info;

	while (sys_call(SYS_rt_sigtimedwait, (long)&signals, (long)&info,
			(long)&no_time, sizeof(signals), 0, 0) > 0)
		if (!is_of_kernel(&info)) {
			chained_send_again(info.si_signo, &info);
			signals &= ~SIGNAL_BIT(info.si_signo);
		}
}

/* Unblocks clew's signals that are blocked here, and returns them. */
static uint64_t let_through(void)
{
	uint64_t blocked = ticks_own_signals();

	if (blocked)
		blocked &= signal_change_bits(SIG_BLOCK, 0);
	if (!blocked)
		return 0;
	ticks_pause_thread();
	drop_pending(blocked);
	signal_change_bits(SIG_UNBLOCK, blocked);
	return blocked;
}

struct exec_mask exec_mask_begin(void)
{
	const uint32_t ignored = chained_ignore_for_exec();

	return (struct exec_mask){ .blocked = let_through(),
				   .ignored = ignored };
}

void exec_mask_end(struct exec_mask begun)
{
	chained_handle_again(begun.ignored);
	if (!begun.blocked)
		return;
	signal_change_bits(SIG_BLOCK, begun.blocked);
	ticks_resume_thread();
}
