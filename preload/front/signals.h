/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers that the program had when clew was attached to it: with SIGTRAP
 * in its mask one would be killed by a breakpoint (patch/trap.h).
 */
#ifndef CLEW_FRONT_SIGNALS_H
#define CLEW_FRONT_SIGNALS_H

/*
 * Take SIGTRAP out of the masks of all actions, or put it back into those of which
 * the program has said so. All other threads are stopped; system calls only.
 */
void signals_open_actions(void);
void signals_close_actions(void);

#endif
