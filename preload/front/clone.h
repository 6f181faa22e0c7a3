/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads that are made round libc's fork() and pthread_create().
 *
 * Nobody's atfork handlers are run then, so the child is told before it runs
 * anything of the program's: with signals blocked until then, for handlers are
 * the program's, too. What clone() starts begins with a word of ours at the
 * top of its new stack, and one function that calls the program's.
 *
 * A child of the bare instruction has to find out by itself (process.c).
 */
#ifndef CLEW_FRONT_CLONE_H
#define CLEW_FRONT_CLONE_H

#include "preload/front/syscalls.h"

/* A system call that makes a process, to return twice on this stack. */
long clone_by(SYSCALL_ARGUMENTS);

#endif
