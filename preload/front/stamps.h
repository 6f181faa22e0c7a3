/* SPDX-License-Identifier: MIT */
/*
 * Handles programs that disable the time stamp counter while stubs that measure
 * time or trace, samples, probes or agents read it: rdtsc would raise SIGSEGV
 * in their threads. Two requests disable it.
 */
#ifndef CLEW_FRONT_STAMPS_H
#define CLEW_FRONT_STAMPS_H

/*
 * Called instead of prctl() with PR_SET_TSC and PR_GET_TSC. The counter stays
 * enabled, but the program gets the result that it expects. Both return what
 * prctl() would, or -errno.
 */
long stamps_set_access(long access);
long stamps_get_access(int *access);

/*
 * Replaces seccomp's strict mode by a filter that allows the same calls. (A
 * forbidden call kills by SIGSYS instead of SIGKILL.) Returns 0 or -errno:
 * -EINVAL if there is a filter, as the kernel does.
 */
long stamps_enter_strict_mode(void);

#endif
