/* SPDX-License-Identifier: MIT */
/*
 * Processes and threads that are created without libc's fork() and
 * pthread_create().
 *
 * No atfork handlers run in that case, so the child is initialized before it
 * runs code of the program. Signals are blocked until then, because handlers
 * belong to the program. A child of clone() begins with a structure at the top
 * of its new stack, and in a function of clew's that calls the program's
 * function.
 *
 * A child of a raw system call is detected later (process.c).
 */
#ifndef CLEW_FRONT_CLONE_H
#define CLEW_FRONT_CLONE_H

#include "preload/front/syscalls.h"

/*
 * Executes a system call that creates a process and returns twice on this
 * stack.
 */
long clone_by(SYSCALL_ARGUMENTS);

#endif
