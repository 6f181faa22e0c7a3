/* SPDX-License-Identifier: MIT */
/*
 * Calls that clew makes, for itself, of functions of libc, which may be hooked.
 * They are not counted. Signals are blocked meanwhile, because the calls of a
 * signal handler are the program's and are counted. Therefore the calls should
 * take less than about 0.1 ms.
 */
#ifndef CLEW_HOST_LIBC_CALLS_H
#define CLEW_HOST_LIBC_CALLS_H

#include <stdint.h>

#include "preload/hot/switch.h"
#include "preload/sys/sys.h"

struct libc_calls {
	uint64_t signals; /* the former signal mask */
	uint32_t muted;   /* the former hot.muted */
};

/* Returns the argument of libc_calls_end(). Pairs nest. */
static inline struct libc_calls libc_calls_begin(void)
{
	struct libc_calls own;

	sys_block_signals(&own.signals);
	own.muted = switch_mute(HOT_MUTED_OWN);
	return own;
}

static inline void libc_calls_end(const struct libc_calls *own)
{
	switch_unmute(own->muted);
	sys_restore_signals(&own->signals);
}

#endif
