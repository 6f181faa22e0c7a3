/* SPDX-License-Identifier: MIT */
/*
 * System calls that a stop has ended. The kernel begins most of them again; but
 * some say EINTR although there was no signal (signal(7)), which a program does not
 * expect of them.
 */
#ifndef CLEW_CLI_ATTACH_INTERRUPTED_H
#define CLEW_CLI_ATTACH_INTERRUPTED_H

#include "cli/attach/tracer.h"

/* The thread, which is stopped as it was at first, begins it again, unless a handler comes. */
void interrupted_go_on(const struct tracee *thread);

#endif
