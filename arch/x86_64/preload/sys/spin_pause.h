/* SPDX-License-Identifier: MIT */
/* Pauses in a loop that waits for a word to change. */
#ifndef CLEW_SYS_SPIN_PAUSE_H
#define CLEW_SYS_SPIN_PAUSE_H

static inline void spin_pause(void)
{
	__builtin_ia32_pause();
}

#endif
