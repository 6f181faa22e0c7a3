/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints: sites whose first byte is int3, for good where no jump fits
 * (VERDICT_IS_TRAP), or while live.c exchanges what stands there.
 *
 *	f: int3 -> SIGTRAP -> on_trap() -> returns to f's stub
 *
 * The stub executes the displaced instruction elsewhere, so nothing is ever
 * stepped. SIGTRAP stays the program's: its handler, its wish to ignore it, or
 * the default get every SIGTRAP that is not ours, and what it asks about is
 * told as though we were not there (signals.c stands in front of libc's
 * functions for that). A breakpoint kills a thread that blocks SIGTRAP, so three
 * things are not as natively:
 *
 *	1. the kernel's masks of the threads never contain SIGTRAP, but in our
 *	   own handler;
 *	2. a SIGTRAP that is sent to a thread which means to block it, as each
 *	   does in its handler, is kept here until the thread does not;
 *	3. sigwait() does not see SIGTRAP.
 */
#ifndef CLEW_PATCH_TRAP_H
#define CLEW_PATCH_TRAP_H

#include <signal.h>
#include <stdint.h>

#define TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1))

/*
 * Whether breakpoints may be used from now on. Not under a debugger, which
 * would stop at them. Reads /proc.
 */
int trap_is_possible(void);

/*
 * Take SIGTRAP, before the first breakpoint is written. Any thread, any number
 * of times. 0 or -errno.
 */
int trap_install(void);

/*
 * In a process that runs already: the program may have taken SIGTRAP back since the
 * last time. Then trap_install() takes it again.
 */
void trap_look_again(void);

/* How far from a thread's control block is what it has said of blocking SIGTRAP. */
uint64_t trap_blocks_at(void);

/*
 * What the program says about SIGTRAP: as sigaction(), but 0 or -errno. Safe
 * in signal handlers.
 */
int trap_change_action(const struct sigaction *set, struct sigaction *old);

/*
 * Whether the calling thread means to block SIGTRAP. A new thread inherits the
 * mask of its creator, but not what we know of it; until it says something
 * itself, it blocks SIGTRAP if its mask holds all other signals.
 */
int trap_is_blocked(uint64_t mask);
void trap_set_blocked(int is_blocked);

/*
 * What the calling thread has said, for what clew makes it call: that may say something
 * else (own_thread.c).
 */
uint32_t trap_said(void);
void trap_say_again(uint32_t said);

/*
 * The calling thread is about to go on at this stack pointer with the mask that
 * it had there: if that is outside of its handler for SIGTRAP, it does not block
 * that any more. What this returns goes to trap_come_back(), if the thread comes
 * back to where it was.
 */
uint64_t trap_leave_handler(uint64_t stack);
void trap_come_back(uint64_t handler);

/*
 * The calling thread is about to execute a program, which inherits its mask: as
 * it means it. What this returns goes to trap_end_exec(), if it lives to do so.
 * Keep errno.
 */
uint64_t trap_begin_exec(void);
void trap_end_exec(uint64_t begun);

/* SIGTRAP was blocked by whoever exec'ed us: as trap_set_blocked(1). */
void trap_take_inherited_mask(void);

#endif
