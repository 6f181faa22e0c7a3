/* SPDX-License-Identifier: MIT */
/*
 * System calls that a program makes through libc's syscall(), not by the function
 * of the call's name.
 *
 * Those below change what clew must know of, and come here (syscall.S); number and
 * arguments are where syscall() found them. The result is -1 with errno set where
 * the call fails, as the program expects it.
 */
#ifndef CLEW_FRONT_SYSCALLS_H
#define CLEW_FRONT_SYSCALLS_H

#include <errno.h>

#define SYSCALL_ARGUMENTS                                                      \
	long number, long a, long b, long c, long d, long e, long f

long syscall_prctl(SYSCALL_ARGUMENTS);
long syscall_seccomp(SYSCALL_ARGUMENTS);
long syscall_fork(SYSCALL_ARGUMENTS);
long syscall_clone(SYSCALL_ARGUMENTS);
long syscall_clone3(SYSCALL_ARGUMENTS);
long syscall_execve(SYSCALL_ARGUMENTS);
long syscall_mmap(SYSCALL_ARGUMENTS);
long syscall_mprotect(SYSCALL_ARGUMENTS); /* or pkey_mprotect */
long syscall_munmap(SYSCALL_ARGUMENTS);
long syscall_mremap(SYSCALL_ARGUMENTS);
long syscall_madvise(SYSCALL_ARGUMENTS);
long syscall_shmat(SYSCALL_ARGUMENTS);
long syscall_shmdt(SYSCALL_ARGUMENTS);
long syscall_prlimit(SYSCALL_ARGUMENTS);
long syscall_setrlimit(SYSCALL_ARGUMENTS);
long syscall_getrlimit(SYSCALL_ARGUMENTS);

/* Any other call, by the next library that has a syscall(). */
long syscall_plainly(SYSCALL_ARGUMENTS);

/* The kernel's answer, in libc's way. */
static inline long syscall_result(long result)
{
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

#endif
