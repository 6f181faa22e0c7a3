/* SPDX-License-Identifier: MIT */
/* See chosen_signal.h. */
#include "preload/front/chosen_signal.h"

#include "preload/hot/runtime.h"
#include "preload/sys/chained.h"
#include "preload/time/ticks.h"

static void on_signal(int signal, siginfo_t *info, void *context);

/*
 * `take` is stored before the signal is installed; `chained` is protected by
 * its lock.
 */
static struct {
	struct chained chained;
	void (*take)(void);
} chosen = { .chained = { .place = CHAINED_CHOSEN,
			  .handler = on_signal,
			  .mask = ~UINT64_C(0) } };

/*
 * Takes a snapshot, and calls the program's handler. If the program has none,
 * nothing else happens: the signal was for clew and must not kill the program.
 */
static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct kernel_action theirs;

	chosen.take();
	theirs = chained_use_action(&chosen.chained);
	if (!chained_is_function(&theirs))
		return;
	theirs.mask |= ticks_kept_from(theirs.flags);
	chained_call(&theirs, 0, signal, info, context);
}

void chosen_signal_begin(int signal, void (*take)(void))
{
	chosen.chained.signal = signal;
	chosen.take = take;
	if (!runtime_is_filtered())
		chained_install(&chosen.chained);
}

int chosen_signal_is(int signal)
{
	return chosen.chained.is_installed && chosen.chained.signal == signal;
}

int chosen_signal_change_action(const struct sigaction *set,
				struct sigaction *old)
{
	return chained_change_action(&chosen.chained, set, old);
}
