/* SPDX-License-Identifier: MIT */
/*
 * System calls that a stop has interrupted. The kernel restarts most of them.
 * Some return EINTR although no signal arrived (signal(7)), which programs do
 * not expect.
 */
#ifndef CLEW_CLI_ATTACH_INTERRUPTED_H
#define CLEW_CLI_ATTACH_INTERRUPTED_H

#include "cli/attach/tracer.h"

/*
 * Makes the kernel restart such a call of a stopped thread when it continues,
 * unless a signal handler runs. The thread must be at its first stop.
 */
void interrupted_go_on(const struct tracee *thread);

#endif
