/* SPDX-License-Identifier: MIT */
/*
 * Signals that the processor raises (SIGSEGV, SIGBUS, SIGILL, SIGFPE). While
 * probes have handlers, clew receives these signals before the program's own
 * handlers. A signal raised in a probe's handler is noted in the recording
 * (struct wire_handler_crash). The program gets the signal in any case.
 */
#ifndef CLEW_FRONT_FAULTS_H
#define CLEW_FRONT_FAULTS_H

#include <signal.h>

/* Installs clew's handler. May be called any number of times. */
void faults_begin(void);

/*
 * Returns whether this is one of these signals and clew's handler for it is
 * installed.
 */
int faults_have(int signal);

/*
 * Does what sigaction() would do for the program with this signal. Returns 0 or
 * -errno.
 */
int faults_change_action(int signal, const struct sigaction *set,
			 struct sigaction *old);

/*
 * Called when clew detaches: installs the program's actions in the kernel
 * again.
 */
void faults_end(void);

#endif
