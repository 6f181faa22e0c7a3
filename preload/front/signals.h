/* SPDX-License-Identifier: MIT */
/*
 * Signal handlers that the program had installed before clew attached. A
 * breakpoint would kill one whose mask contains SIGTRAP (patch/trap.h).
 */
#ifndef CLEW_FRONT_SIGNALS_H
#define CLEW_FRONT_SIGNALS_H

/*
 * Remove SIGTRAP from the masks of all actions, and restore it in those for
 * which the program has set it. All other threads are stopped; uses only system
 * calls.
 */
void signals_open_actions(void);
void signals_close_actions(void);

#endif
