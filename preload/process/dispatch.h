/* SPDX-License-Identifier: MIT */
/*
 * Syscall User Dispatch (prctl(2), since Linux 5.11): a thread has its system
 * calls sent to a handler of the program's, as long as a byte of the program's,
 * the selector, says so; all but those from one range of addresses. An emulator
 * would take a call of ours for one of what it emulates.
 *
 * So the thread makes room beforehand, as behind a filter (filter.h), and makes
 * no calls while the selector forbids them: what there is no room for is lost,
 * and counted. Nor does it get signals of ours, for the return from a handler
 * is a system call as well: no samples are taken of it, and no live patching is
 * done meanwhile. Dispatch that is set by a system call instruction of the
 * program's own is not noticed.
 */
#ifndef CLEW_PROCESS_DISPATCH_H
#define CLEW_PROCESS_DISPATCH_H

/* prctl(PR_SET_SYSCALL_USER_DISPATCH, ...): its result, or -errno. */
long dispatch_set(long mode, long start, long bytes, long selector);

/* Whether any thread may not be sent a signal of ours. */
int dispatch_is_on(void);

/* In a forked child: it is not dispatched. */
void dispatch_forget(void);

#endif
