/* SPDX-License-Identifier: MIT */
/*
 * Programs that forbid themselves the time stamp counter, while stubs that time
 * or trace, samples, probes or agents read it: rdtsc would raise SIGSEGV in
 * their threads. Two requests do that.
 */
#ifndef CLEW_FRONT_STAMPS_H
#define CLEW_FRONT_STAMPS_H

/*
 * In place of a prctl() of PR_SET_TSC or PR_GET_TSC: the process is told that
 * it is as it asked for. Returns the kernel's answer, or -errno.
 */
long stamps_set_access(long access);
long stamps_get_access(int *access);

/*
 * In place of seccomp's strict mode: a filter that allows the same calls. (What
 * it kills dies by SIGSYS instead of SIGKILL.) 0 or -errno: -EINVAL behind a
 * filter, as from the kernel.
 */
long stamps_enter_strict_mode(void);

#endif
