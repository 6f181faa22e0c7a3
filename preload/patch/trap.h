/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints: sites whose first byte is int3, permanently if no jump fits
 * (VERDICT_IS_TRAP), or while live.c replaces a site's bytes.
 *
 *	f: int3 -> SIGTRAP -> on_trap() -> returns to f's stub
 *
 * The stub executes the displaced instruction, so no single-stepping is needed.
 * SIGTRAP remains available to the program: its handler, SIG_IGN or the default
 * action get every SIGTRAP that is not clew's, and its queries are answered as
 * without clew (signals.c wraps libc's functions for that). A breakpoint kills
 * a thread that blocks SIGTRAP, so three things differ from a native run:
 *
 *	1. The kernel's signal masks of the threads never contain SIGTRAP,
 *	   except in clew's own handler.
 *	2. A SIGTRAP that is sent to a thread that has asked to block it, or
 *	   that is in its handler for SIGTRAP, is held here until the thread
 *	   unblocks it.
 *	3. sigwait() does not see SIGTRAP.
 */
#ifndef CLEW_PATCH_TRAP_H
#define CLEW_PATCH_TRAP_H

#include <signal.h>
#include <stdint.h>

#define TRAP_BIT (UINT64_C(1) << (SIGTRAP - 1))

/*
 * Returns whether breakpoints may be used from now on. A debugger forbids that,
 * because it would stop at them. Reads /proc.
 */
int trap_is_possible(void);

/*
 * Installs clew's handler for SIGTRAP. Call it before the first breakpoint is
 * written. Any thread may call this function, any number of times. Returns 0 or
 * -errno.
 */
int trap_install(void);

/*
 * Called when clew attaches again: the program may have replaced clew's handler
 * of SIGTRAP meanwhile. If so, trap_install() will install it again.
 */
void trap_recheck(void);

/*
 * Returns the offset, from a thread's control block, of the variable that
 * contains whether the thread has asked to block SIGTRAP.
 */
uint64_t trap_blocks_at(void);

/*
 * Executes the program's sigaction() for SIGTRAP. Returns 0 or -errno. Safe in
 * signal handlers.
 */
int trap_change_action(const struct sigaction *set, struct sigaction *old);

/*
 * Returns whether the calling thread has asked to block SIGTRAP. A new thread
 * inherits the mask of its creator, but no request; until it makes one, it
 * counts as blocking SIGTRAP if its mask contains all other signals.
 */
int trap_is_blocked(uint64_t mask);
void trap_set_blocked(int is_blocked);

/*
 * Save and restore whether the calling thread has asked to block SIGTRAP. Used
 * around code that clew makes the thread execute and that may change this
 * (own_thread.c).
 */
uint32_t trap_mask_request(void);
void trap_restore_mask_request(uint32_t mask_request);

/*
 * Called when the thread is about to continue at another stack pointer with the
 * signal mask that it had there, by siglongjmp() for example. If it thereby
 * leaves its handler for SIGTRAP, it no longer blocks SIGTRAP. If the thread
 * returns into the handler later, pass the result to trap_return_to_handler().
 */
uint64_t trap_leave_handler(uint64_t stack);
void trap_return_to_handler(uint64_t handler);

/*
 * Called before exec. The new program inherits the signal mask, so SIGTRAP is
 * blocked if the thread has asked for that. If exec fails, pass the result to
 * trap_end_exec(). Both functions preserve errno.
 */
uint64_t trap_begin_exec(void);
void trap_end_exec(uint64_t begun);

/*
 * Like trap_set_blocked(1), if the process that has executed this program has
 * blocked SIGTRAP.
 */
void trap_take_inherited_mask(void);

#endif
