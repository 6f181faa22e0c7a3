/* SPDX-License-Identifier: MIT */
/*
 * System calls of a thread that were interrupted because clew has stopped the
 * thread. The kernel restarts most of them. Some would return EINTR although no
 * signal arrived (signal(7)), which programs do not expect.
 */
#ifndef CLEW_CLI_ATTACH_INTERRUPTED_H
#define CLEW_CLI_ATTACH_INTERRUPTED_H

#include "cli/attach/tracer.h"

/*
 * If a stopped thread is in a system call that would return EINTR, makes the
 * kernel restart the call when the thread continues, unless a signal handler
 * runs then. Must be called at the first stop since the thread was seized.
 */
void interrupted_go_on(const struct tracee *thread);

#endif
