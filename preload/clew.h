/* SPDX-License-Identifier: MIT */
/*
 * What a program can ask of clew while it runs under it.
 *
 * There is nothing to link with: libclew.so is preloaded or it is not.
 *
 *	int (*unhook)(void) = dlsym(RTLD_DEFAULT, "clew_unhook");
 *
 *	if (unhook && !unhook())
 *		... runs as though clew were not there ...
 *
 * Any thread may call these at any time, but not in signal handlers. Other
 * threads go on meanwhile. Each returns 0, also if there was nothing to do,
 * or -errno, when nothing has changed:
 *
 *	-ENODEV		this process is not recorded
 *	-EBUSY		a thread did not leave the code in question, or blocked
 *			all signals, for five seconds: try again
 *	-EPERM		a debugger is attached, or system calls are filtered
 *	-ENOSYS ...	the kernel does not let a process write to its code, or
 *			/proc does not say where its threads are
 */
#ifndef CLEW_H
#define CLEW_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Take all hooks out of the code. Calls are not counted from then on, save
 * those that go into the C library, if that is hooked and there are other
 * threads, and Java's of native methods whose code has no hook.
 */
int clew_unhook(void);

/* Put them back. */
int clew_hook(void);

#ifdef __cplusplus
}
#endif

#endif
