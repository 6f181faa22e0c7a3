/* SPDX-License-Identifier: MIT */
/*
 * Handles actions that the program had installed before clew attached. A
 * breakpoint in a handler whose mask contains SIGTRAP would kill the process
 * (patch/trap.h).
 */
#ifndef CLEW_FRONT_SIGNALS_H
#define CLEW_FRONT_SIGNALS_H

/*
 * signals_open_actions() changes the masks of all handlers: removes SIGTRAP,
 * and adds clew's signals for handlers on alternate stacks.
 * signals_close_actions() undoes that. All other threads are stopped meanwhile.
 * Both make only system calls.
 */
void signals_open_actions(void);
void signals_close_actions(void);

#endif
