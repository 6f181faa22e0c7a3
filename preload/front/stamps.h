/* SPDX-License-Identifier: MIT */
/*
 * Handles programs that disable the time stamp counter while stubs that measure
 * time or trace, samples, probes or agents read it: rdtsc would raise SIGSEGV
 * in their threads. Two requests disable it.
 */
#ifndef CLEW_FRONT_STAMPS_H
#define CLEW_FRONT_STAMPS_H

/*
 * Replace prctl() with PR_SET_TSC or PR_GET_TSC: the process gets the answer
 * that it expects. Return the kernel's result, or -errno.
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
