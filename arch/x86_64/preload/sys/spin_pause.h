/* SPDX-License-Identifier: MIT */
/* What a thread executes that looks at one word again and again. */
#ifndef CLEW_SYS_SPIN_PAUSE_H
#define CLEW_SYS_SPIN_PAUSE_H

static inline void spin_pause(void)
{
	__builtin_ia32_pause();
}

#endif
