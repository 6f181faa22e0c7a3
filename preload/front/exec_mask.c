/* SPDX-License-Identifier: MIT */
/* See exec_mask.h. */
#include "preload/front/exec_mask.h"

#include <signal.h>

#include "preload/sys/chained.h"
#include "preload/sys/signal_return.h"
#include "preload/time/ticks.h"

/* Unblocks clew's signals that are blocked here, and returns them. */
static uint64_t let_through(void)
{
	uint64_t blocked = ticks_own_signals();

	if (blocked)
		blocked &= signal_change_bits(SIG_BLOCK, 0);
	if (!blocked)
		return 0;
	ticks_pause_thread();
	ticks_drop_pending(blocked);
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
