/* SPDX-License-Identifier: MIT */
/*
 * System calls that a program makes through libc's syscall() instead of the
 * function for that call.
 *
 * syscall.S forwards the calls below, which clew must observe, with the number
 * and arguments of syscall(). The result of a failed call is -1 with errno set,
 * as the program expects.
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
long syscall_mprotect(SYSCALL_ARGUMENTS); /* also called for pkey_mprotect */
long syscall_munmap(SYSCALL_ARGUMENTS);
long syscall_mremap(SYSCALL_ARGUMENTS);
long syscall_madvise(SYSCALL_ARGUMENTS);
long syscall_shmat(SYSCALL_ARGUMENTS);
long syscall_shmdt(SYSCALL_ARGUMENTS);
long syscall_prlimit(SYSCALL_ARGUMENTS);
long syscall_setrlimit(SYSCALL_ARGUMENTS);
long syscall_getrlimit(SYSCALL_ARGUMENTS);

/* Makes any other call by the next definition of syscall(), usually libc's. */
long syscall_plainly(SYSCALL_ARGUMENTS);

/* Converts the kernel's result to libc's convention. */
static inline long syscall_result(long result)
{
	if (result >= 0)
		return result;
	errno = (int)-result;
	return -1;
}

#endif
