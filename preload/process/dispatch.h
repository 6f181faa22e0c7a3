/* SPDX-License-Identifier: MIT */
/*
 * Syscall User Dispatch (prctl(2), since Linux 5.11): a thread's system calls
 * are sent to a handler of the program while a byte of the program, the
 * selector, says so. Calls from one range of addresses are exempt. An emulator
 * would take a call of clew's for one of the emulated program.
 *
 * Therefore clew allocates memory for the thread beforehand, as under a system
 * call filter (filter.h), and makes no system calls while the selector forbids
 * them. Calls for whose contexts there is no memory are counted as lost. The
 * thread also gets no signals of clew's, because a handler returns by a system
 * call: it is not sampled, and no live patching takes place meanwhile. Dispatch
 * that the program sets by its own system call instruction is not detected.
 */
#ifndef CLEW_PROCESS_DISPATCH_H
#define CLEW_PROCESS_DISPATCH_H

/*
 * Calls prctl(PR_SET_SYSCALL_USER_DISPATCH, ...). Returns its result, or
 * -errno.
 */
long dispatch_set(long mode, long start, long bytes, long selector);

/* Returns whether any thread must not receive a signal of clew's. */
int dispatch_is_on(void);

/* Called in a forked child, which is not dispatched. */
void dispatch_forget(void);

#endif
